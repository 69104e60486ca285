//! DNS, robots precondition, HTTP: from an item to its exchange.
