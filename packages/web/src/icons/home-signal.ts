import { icon } from './icon.tsx'

export const IconHomeSignal = /* @__PURE__ */ icon(
  'M15 22v-2',
  'M18 22v-4',
  'M21 22v-6',
  'M19 12.494v-.494h2l-9 -9l-9 9h2v7a2 2 0 0 0 2 2h4',
  'M9 21v-6a2 2 0 0 1 2 -2h2a2 2 0 0 1 2 2v.5',
)
