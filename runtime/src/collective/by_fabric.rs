//! Collectives of the fabric's own among the images of a team.

use crate::image::team::Team;
use coarray_fabric::transport::movement::Movement;

impl Team {
    /// Whether the team spans nodes and the fabric between them [moves blocks](Self::move_blocks): the same on all images.
    #[must_use]
    pub fn has_fabric_collectives(&self) -> bool {
        !self.is_on_one_node() && self.image().fabric().has_collectives()
    }

    /// Collective. Moves blocks of `length` bytes among the images of this team, which count by their indices; see [`Movement`]. It does not
    /// wait as images do: it serves no messages, and no search for deadlocks takes it for asleep. The job ends meanwhile only by the end of all
    /// its processes, as it does on the fabrics that have collectives.
    ///
    /// # Safety
    /// The team [has them](Self::has_fabric_collectives). All images have just passed a barrier for the same call, with the same movement and
    /// length, and nothing of the program ran since. The source is valid for reads, and the target for writes, of as many blocks as the
    /// movement says, and no other image accesses them. `length` is at most 2^31 - 1.
    pub unsafe fn move_blocks(
        &self,
        movement: Movement,
        source: *const u8,
        target: *mut u8,
        length: usize,
    ) {
        // SAFETY: the members of a team are different images, this one among them. They have all passed the barrier, and come here without
        // waiting. The caller vouches for the rest.
        unsafe {
            let fabric = self.image().fabric();
            fabric.move_blocks(self.members(), movement, source, target, length);
        }
    }
}
