import { icon } from './icon.tsx'

export const IconCertificateOff = /* @__PURE__ */ icon(
  'M12.876 12.881a3 3 0 0 0 4.243 4.243m.588 -3.42a3.012 3.012 0 0 0 -1.437 -1.423',
  'M13 17.5v4.5l2 -1.5l2 1.5v-4.5',
  'M10 19h-5a2 2 0 0 1 -2 -2v-10c0 -1.1 .9 -2 2 -2m4 0h10a2 2 0 0 1 2 2v10',
  'M6 9h3m4 0h5',
  'M6 12h3',
  'M6 15h2',
  'M3 3l18 18',
)
