import { icon } from './icon.tsx'

export const IconWind = /* @__PURE__ */ icon(
  'M5 8h8.5a2.5 2.5 0 1 0 -2.34 -3.24',
  'M3 12h15.5a2.5 2.5 0 1 1 -2.34 3.24',
  'M4 16h5.5a2.5 2.5 0 1 1 -2.34 3.24',
)
