import { icon } from './icon.tsx'

export const IconCurrentLocation = /* @__PURE__ */ icon(
  'M9 12a3 3 0 1 0 6 0a3 3 0 1 0 -6 0',
  'M4 12a8 8 0 1 0 16 0a8 8 0 1 0 -16 0',
  'M12 2l0 2',
  'M12 20l0 2',
  'M20 12l2 0',
  'M2 12l2 0',
)
