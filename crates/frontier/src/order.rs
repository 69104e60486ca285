//! The order inside a queue, as one number.

use model::{Directive, Ordinal};

/// Ordinals beyond this do not fit (2.8e14 admits; Heritrix has the same 48 bits).
const ORDINAL_MAX: u64 = (1 << 48) - 1;

/// (directive, precedence, ordinal): the least goes first. Directive beats precedence beats age, as in Heritrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct OrderKey(pub(crate) u64);

impl OrderKey {
    pub(crate) fn new(directive: Directive, precedence: u8, ordinal: Ordinal) -> OrderKey {
        assert!(ordinal.0 <= ORDINAL_MAX, "ordinal {} does not fit 48 bits", ordinal.0);
        OrderKey((directive as u64) << 56 | u64::from(precedence) << 48 | ordinal.0)
    }

    pub(crate) fn ordinal(self) -> Ordinal {
        Ordinal(self.0 & ORDINAL_MAX)
    }

    pub(crate) fn precedence(self) -> u8 {
        (self.0 >> 48) as u8
    }

    pub(crate) fn directive(self) -> Directive {
        match self.0 >> 56 {
            0 => Directive::Highest,
            1 => Directive::High,
            2 => Directive::Medium,
            _ => Directive::Normal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directive_beats_precedence_beats_age() {
        let key = |directive, precedence, ordinal| OrderKey::new(directive, precedence, Ordinal(ordinal));
        let ascending = [
            key(Directive::Highest, 255, ORDINAL_MAX),
            key(Directive::High, 0, 9),
            key(Directive::Medium, 1, 8),
            key(Directive::Normal, 0, 7),
            key(Directive::Normal, 1, 1),
            key(Directive::Normal, 1, 2),
        ];
        assert!(ascending.is_sorted());
        assert_eq!(ascending[1].directive(), Directive::High);
        assert_eq!((ascending[0].precedence(), ascending[0].ordinal()), (255, Ordinal(ORDINAL_MAX)));
    }
}
