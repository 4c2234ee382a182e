//! Every listing of sections 3 to 8 of T. A. Johnson, *Coarray C++*, PGAS 2013, with the result it states.
//!
//! Image numbers of a listing, such as 5 and 7, are taken modulo the number of images. Code that a listing calls
//! illegal is in `compile_fail/`.
//!
//! | section | listing | test |
//! |---|---|---|
//! | 3.1 | 1, templates | `type_system::coarrays_are_of_values_runs_arrays_and_coatomics` |
//! | 3.1 | 2, declarations | `type_system::the_leftmost_extent_is_given_at_run_time`, `compile_fail/two_extents_at_run_time.rs` |
//! | 3.2 | 1, local access | `type_system::a_coarray_behaves_like_the_local_object` |
//! | 3.2 | 2, local members | `type_system::members_are_accessed_locally` |
//! | 3.3 | 1, templates | `type_system::corefs_are_to_every_kind_of_place` |
//! | 3.3 | 2, put and get | `type_system::corefs_put_and_get` |
//! | 3.3 | 3, members | `type_system::members_are_accessed_on_other_images` |
//! | 3.3 | none, constant corefs | `type_system::published_coarrays_give_corefs_that_only_get`, `compile_fail/put_through_published.rs` |
//! | 3.4 | 1, traits | `type_system::a_type_that_is_not_trivial_has_a_remote_copy_constructor`, `compile_fail/coarray_of_string.rs` |
//! | 3.5 | 1, copointers | `type_system::copointers_fill_the_array_on_another_image` |
//! | 3.5 | none, local pointers | `type_system::copointers_are_null_or_convert_to_local_pointers` |
//! | 3.6 | 1, coarrays of pointers | `type_system::a_coarray_of_pointers_holds_a_different_amount_on_each_image` |
//! | 3.6 | 2, hoisting | `type_system::the_extra_read_is_hoisted_by_a_copointer` |
//! | 3.7 | none, functions | `type_system::coarrays_are_passed_to_functions_by_reference`, `compile_fail/used_after_move.rs` |
//! | 4.1 | 1, illegal shape | `compile_fail/argument_of_another_shape.rs` |
//! | 4.1 | 2, legal shape | `type_checking::a_bounded_type_converts_to_an_unbounded_type` |
//! | 4.2 | 1, extent at run time | `type_checking::an_unbounded_type_converts_to_a_bounded_type_if_the_extents_match`, `type_checking::corefs_convert_like_coarrays` |
//! | 4.3 | 1, line 4 | `type_checking::shape_cast_reinterprets_a_shape`, `type_checking::shape_cast_reinterprets_the_shape_of_a_coref` |
//! | 4.3 | 1, line 5 | `type_checking::shape_cast_refuses_a_shape_with_more_elements`, `compile_fail/shape_cast_too_large.rs`, `compile_fail/shape_cast_to_another_element.rs` |
//! | 5.1 | none, fence | `memory_model::after_the_fence_a_write_is_visible_to_all_images` |
//! | 5.2 | 1, coatomics | `memory_model::coatomics_add_atomically`, `memory_model::a_generic_coatomic_is_atomic_as_well` |
//! | 5.2 | 2, regular types | `memory_model::atomic_operations_are_performed_on_regular_types` |
//! | 6.1 | none, `sync_all` | `image_synchronisation::sync_all_synchronises_all_images_and_implies_a_fence` |
//! | 6.2 | 1, events | `image_synchronisation::one_image_posts_an_event_and_another_waits_for_it`, `compile_fail/wait_for_the_event_of_another_image.rs` |
//! | 6.3 | 1, comutexes | `image_synchronisation::a_comutex_excludes_other_images` |
//! | 7 | 1, get | `cofutures::a_cofuture_manages_a_get_that_does_not_block` |
//! | 7 | 2, existing storage | `cofutures::a_cofuture_fills_existing_storage` |
//! | 7 | 3, put | `cofutures::a_cofuture_manages_a_put_that_does_not_block` |
//! | 8.1 | 1, broadcast | `collectives::cobroadcast_replicates_the_value_of_the_root` |
//! | 8.2 | 1, reductions | `collectives::coreduce_yields_a_result_for_each_item` |
//! | 8.2 | 2, the largest image | `collectives::comax_finds_the_largest_image` |

mod cofutures;
mod collectives;
mod image_synchronisation;
mod memory_model;
mod type_checking;
mod type_system;
