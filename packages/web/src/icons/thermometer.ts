import { icon } from './icon.tsx'

export const IconThermometer = /* @__PURE__ */ icon(
  'M19 5a2.828 2.828 0 0 1 0 4l-8 8h-4v-4l8 -8a2.828 2.828 0 0 1 4 0',
  'M16 7l-1.5 -1.5',
  'M13 10l-1.5 -1.5',
  'M10 13l-1.5 -1.5',
  'M7 17l-3 3',
)
