import { icon } from './icon.tsx'

export const IconLifebuoy = /* @__PURE__ */ icon(
  'M8 12a4 4 0 1 0 8 0a4 4 0 1 0 -8 0',
  'M3 12a9 9 0 1 0 18 0a9 9 0 1 0 -18 0',
  'M15 15l3.35 3.35',
  'M9 15l-3.35 3.35',
  'M5.65 5.65l3.35 3.35',
  'M18.35 5.65l-3.35 3.35',
)
