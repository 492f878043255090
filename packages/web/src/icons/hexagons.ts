import { icon } from './icon.tsx'

export const IconHexagons = /* @__PURE__ */ icon(
  'M4 18v-5l4 -2l4 2v5l-4 2l-4 -2',
  'M8 11v-5l4 -2l4 2v5',
  'M12 13l4 -2l4 2v5l-4 2l-4 -2',
)
