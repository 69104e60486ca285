//! Which URL next, and when: sieve, work queues, politeness.
