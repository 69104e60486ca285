//! Names of deciding rules as numbers: every queued URL carries one, and there are few.

use std::collections::HashMap;
use std::sync::Arc;

#[derive(Debug, Default)]
pub(crate) struct Rules {
    names: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    /// The number asked for last: links of a page share it.
    last: u32,
}

impl Rules {
    pub(crate) fn number(&mut self, name: &Arc<str>) -> u32 {
        if self.name(self.last).is_some_and(|last| Arc::ptr_eq(last, name) || last == name) {
            return self.last;
        }
        self.last = self.number_of(name);
        self.last
    }

    fn number_of(&mut self, name: &Arc<str>) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = u32::try_from(self.names.len()).expect("fewer than 2^32 rules");
        self.names.push(name.clone());
        self.numbers.insert(name.clone(), number);
        number
    }

    pub(crate) fn name(&self, number: u32) -> Option<&Arc<str>> {
        self.names.get(number as usize)
    }

    pub(crate) fn names(&self) -> &[Arc<str>] {
        &self.names
    }
}
