/** What jobs do tenant by tenant, where it is due. */
export const works = [
  'sweep connections',
  'end conditions',
  'turn compliance',
  'watch alerts',
  'forget record drafts',
  'plan tests',
  'run tests',
  'run bulk actions',
  'erase readings',
  'sum up days',
  'forget telemetry',
  'forget bad messages',
  'forget messages',
  'forget events',
  'forget audit',
  'forget alerts',
  'forget mails',
  'forget bulk actions',
  'forget files',
  'forget changes',
] as const
export type Work = (typeof works)[number]
