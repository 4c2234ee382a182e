use super::*;

fn error(item: &str) -> String {
    let item = syn::parse_str(item).unwrap();
    derive(&item).unwrap_err().to_string()
}

#[test]
fn what_has_no_fields_for_all_to_use_is_refused() {
    assert!(error("enum Either { A, B }").contains("takes no enum"));
    assert!(error("union Either { a: u8, b: u8 }").contains("takes no union"));
    assert!(error("struct Nothing;").contains("without fields"));
}

#[test]
fn packed_structs_are_refused() {
    let message = "takes no packed struct";
    assert!(error("#[repr(packed)] struct Inbox { count: Coatomic<u64> }").contains(message));
    assert!(error("#[repr(C, packed(2))] struct Inbox { count: Coatomic<u64> }").contains(message));
}
