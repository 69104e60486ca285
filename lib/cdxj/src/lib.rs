//! CDX and CDXJ lines, sorted files and look-ups.
