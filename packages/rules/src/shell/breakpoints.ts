/**
 * Widths at which the layout changes (core specification, section 9; core gaps B33). Phones are below `sm`, tablets
 * below `md`.
 */
export const breakpoints = {
  '2xs': '20em',
  xs: '30em',
  sm: '48em',
  md: '64em',
  lg: '80em',
  xl: '96em',
  '2xl': '120em',
  '3xl': '160em',
} as const
