use super::*;
use quote::ToTokens;

fn expand(item: &str) -> Result<TokenStream> {
    derive(&syn::parse_str(item).unwrap())
}

fn error(item: &str) -> String {
    expand(item).unwrap_err().to_string()
}

/// The expansion, `spelled`. Fails if it cannot be parsed.
fn expansion(item: &str) -> String {
    let file: syn::File = syn::parse2(expand(item).unwrap()).unwrap();
    spelled(&file.to_token_stream().to_string())
}

/// Code without white space, because token streams print it in various ways.
fn spelled(code: &str) -> String {
    code.split_whitespace().collect()
}

#[test]
fn structs_need_a_layout_that_every_image_shares() {
    let message = "derive(Remote) needs `#[repr(C)]`: the bytes of this struct travel between \
                   images as they are";
    assert_eq!(error("struct Point { x: i32 }"), message);
    assert_eq!(error("#[repr(align(8))] struct Point { x: i32 }"), message);

    assert!(expand("#[repr(C)] struct Point { x: i32 }").is_ok());
    assert!(expand("#[repr(C, align(4))] struct Point { x: i32 }").is_ok());
    assert!(expand("#[repr(align(4))] #[repr(C)] struct Point { x: i32 }").is_ok());
    assert!(expand("#[repr(transparent)] struct Point(i32);").is_ok());
}

#[test]
fn packed_structs_are_refused() {
    let message = "takes no packed struct";
    assert!(error("#[repr(C, packed)] struct Point { x: i32 }").contains(message));
    assert!(error("#[repr(C, packed(2))] struct Point { x: i32 }").contains(message));
}

#[test]
fn structs_without_fields_are_refused() {
    let message = "struct `Nothing` has no bytes that could travel; give it a field that has some";
    assert_eq!(error("#[repr(C)] struct Nothing;"), message);
    assert_eq!(error("#[repr(C)] struct Nothing {}"), message);
    assert_eq!(error("#[repr(C)] struct Nothing();"), message);
}

#[test]
fn lifetimes_and_unions_are_refused() {
    let lifetime = error("#[repr(C)] struct View<'a> { bytes: &'a [u8] }");
    assert!(lifetime.contains("no type with a lifetime such as `'a`"));
    let union = error("#[repr(C)] union Either { a: u8, b: u8 }");
    assert!(union.contains("takes no union"));
}

#[test]
fn enums_need_an_integer() {
    let message = "needs an integer representation such as `#[repr(u8)]`";
    assert!(error("enum Cell { Dead, Alive }").contains(message));
    let message = "`#[repr(C)]` leaves the size of an enum to the compiler";
    assert!(error("#[repr(C)] enum Cell { Dead, Alive }").contains(message));
    assert!(error("#[repr(C, u8)] enum Cell { Dead, Alive }").contains(message));

    assert!(expand("#[repr(i16)] enum Cell { Dead = -1, Alive }").is_ok());
}

#[test]
fn enums_need_plain_variants() {
    let message = "`Key` carries fields";
    assert!(error("#[repr(u8)] enum Event { None, Key(u8) }").contains(message));
    assert!(error("#[repr(u8)] enum Event { None, Key { code: u8 } }").contains(message));
    let message = "enum `Never` has no variants";
    assert!(error("#[repr(u8)] enum Never {}").contains(message));
}

#[test]
fn members_keep_names_visibility_and_kind() {
    let named = expansion("#[repr(C)] pub(crate) struct Point { x: i32, pub y: i32 }");
    assert!(named.contains(&spelled(
        "pub(crate) struct __PointMembers {
            x: ::coarray::__private::Member<Point, i32>,
            pub y: ::coarray::__private::Member<Point, i32>,
        }"
    )));
    let tuple =
        expansion("#[repr(C)] pub struct Pair<T: Copy = u8>(pub T, [T; 3]) where T: PartialEq;");
    assert!(tuple.contains(&spelled(
        "pub struct __PairMembers<T: Copy>(
            pub ::coarray::__private::Member<Pair<T>, T>,
            ::coarray::__private::Member<Pair<T>, [T; 3]>,
        ) where T: PartialEq;"
    )));
}

#[test]
fn members_of_a_type_that_mentions_itself_mean_that_type() {
    let list = expansion("#[repr(C)] struct Node<T> { next: Coref<Self>, value: T }");
    assert!(list.contains(&spelled(
        "next: ::coarray::__private::Member<Node<T>, Coref<Node<T>>>"
    )));
}

#[test]
fn only_types_without_parameters_are_checked_where_they_are_defined() {
    let check = spelled("<Point as ::coarray::__private::Remote>::CHECK");
    assert!(expansion("#[repr(C)] struct Point { x: i32 }").contains(&check));
    assert!(!expansion("#[repr(C)] struct Point<T> { x: T }").contains(&check));
}

#[test]
fn type_parameters_are_bounded() {
    let pair = expansion("#[repr(C)] struct Pair<T: Copy, const N: usize>([T; N]);");
    assert!(pair.contains(&spelled(
        "impl<T: Copy + ::coarray::__private::Remote, const N: usize>
            ::coarray::__private::Remote for Pair<T, N>"
    )));
}
