import { filledIcon } from './icon.tsx'

export const IconCirclePlusFilled = /* @__PURE__ */ filledIcon(
  'M4.929 4.929a10 10 0 1 1 14.141 14.141a10 10 0 0 1 -14.14 -14.14m8.071 4.071a1 1 0 1 0 -2 0v2h-2a1 1 0 1 0 0 2h2v2a1 1 0 1 0 2 0v-2h2a1 1 0 1 0 0 -2h-2v-2z',
)
