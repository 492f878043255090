import { icon } from './icon.tsx'

export const IconAirConditioning = /* @__PURE__ */ icon(
  'M8 16a3 3 0 0 1 -3 3',
  'M16 16a3 3 0 0 0 3 3',
  'M12 16v4',
  'M3 7a2 2 0 0 1 2 -2h14a2 2 0 0 1 2 2v4a2 2 0 0 1 -2 2h-14a2 2 0 0 1 -2 -2l0 -4',
  'M7 13v-3a1 1 0 0 1 1 -1h8a1 1 0 0 1 1 1v3',
)
