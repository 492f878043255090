/** Map zoom levels (estate specification, section 9). */
export const mapZooms = {
  /** Before a position is known. */
  start: 1,
  /** A postcode district, a few miles across. */
  district: 12,
  /** An opened building. */
  building: 19,
  /** An opened single marker. */
  marker: 20,
  most: 21,
  /** Building icons are larger above it. */
  largeIcons: 17,
} as const
