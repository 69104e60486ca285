//! CDXJ lines and search documents out of captures.
