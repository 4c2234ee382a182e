use super::*;

fn expansion(item: &str) -> String {
    let tokens = derive(&syn::parse_str(item).unwrap()).unwrap();
    let tokens: syn::File = syn::parse2(tokens).unwrap();
    let text = quote!(#tokens).to_string();
    text.split_whitespace().collect()
}

#[test]
fn enums_and_unions_are_refused() {
    let error = |item| derive(&syn::parse_str(item).unwrap()).unwrap_err();
    assert!(
        error("enum State { Solid }")
            .to_string()
            .contains("takes no enum")
    );
    assert!(
        error("union Word { a: u8 }")
            .to_string()
            .contains("takes no union")
    );
}

#[test]
fn arrays_are_added_element_by_element_and_all_else_by_its_own_addition() {
    let code = expansion("struct Totals { energy: f64, flux: [[f64; 3]; 2] }");
    assert!(code.contains("energy:::core::ops::Add::add(self.energy,other.energy)"));
    let element = "::core::ops::Add::add(self.flux[index_0][index_1],other.flux[index_0][index_1])";
    assert!(code.contains(&format!(
        "flux:::core::array::from_fn(|index_0|::core::array::from_fn(|index_1|{element}))"
    )));
}

#[test]
fn tuple_structs_and_generic_structs_are_added_too() {
    assert!(
        expansion("struct Pair(f64, u32);").contains("1:::core::ops::Add::add(self.1,other.1)")
    );
    let code = expansion("struct Pair<T, const N: usize>([T; N]);");
    assert!(code.contains("T:::core::marker::Copy+::core::ops::Add<Output=T>"));
}
