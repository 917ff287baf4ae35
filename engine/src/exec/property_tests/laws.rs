//! The laws of the two drivers, each by a plan made for it.
