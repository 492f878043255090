import { icon } from './icon.tsx'

export const IconHome2 = /* @__PURE__ */ icon(
  'M5 12l-2 0l9 -9l9 9l-2 0',
  'M5 12v7a2 2 0 0 0 2 2h10a2 2 0 0 0 2 -2v-7',
  'M10 12h4v4h-4l0 -4',
)
