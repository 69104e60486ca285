//! A whole false world: clock, chance, network and the disk that is given.

use std::sync::Arc;

use model::world::{Disk, InlineWork, World};

use crate::chance::SeededChance;
use crate::clock::{SIM_BEGINS, SimClock};
use crate::network::SimNetwork;
use crate::web::Web;

/// A world on virtual time, and the network behind it to ask what it saw.
#[derive(Clone)]
pub struct SimWorld {
    /// What the crawler gets.
    pub world: World,
    /// The network in it.
    pub network: Arc<SimNetwork>,
}

/// Makes a world around a generated web. To be called inside [`crate::run_virtual`]. For a process that starts anew keep
/// the clock and the network, and change disk and chance: [`SimWorld::restarted`].
pub fn sim_world(web: Arc<Web>, disk: Arc<dyn Disk>) -> SimWorld {
    let places = web.places();
    let seed = web.options().seed;
    let network = Arc::new(SimNetwork::new(web, places));
    let world = World {
        clock: Arc::new(SimClock::new(SIM_BEGINS)),
        chance: Arc::new(SeededChance::new(seed)),
        network: network.clone(),
        disk,
        work: Arc::new(InlineWork),
    };
    SimWorld { world, network }
}

impl SimWorld {
    /// The same world for the next process: time and servers go on, the disk is what is left of it, chance is fresh.
    pub fn restarted(&self, disk: Arc<dyn Disk>, seed: u64) -> SimWorld {
        let world = World { disk, chance: Arc::new(SeededChance::new(seed)), ..self.world.clone() };
        SimWorld { world, network: self.network.clone() }
    }
}
