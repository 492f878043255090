/** Zooms of maps (estate specification, section 9). */
export const mapZooms = {
  /** Before a position is known. */
  start: 1,
  /** The district of a post code, a few miles across. */
  district: 12,
  /** A building that is opened. */
  building: 19,
  /** A single marker that is opened. */
  marker: 20,
  most: 21,
  /** Icons of buildings are larger above it. */
  largeIcons: 17,
} as const
