import type { DeviceSubject } from '../devices/rights.ts'
import { isReadOnly } from '../devices/rights.ts'
import { isEngineer, isManager, seesTenant, tagsAllow } from '../identity/actor.ts'
import type { GeneralRights, SubjectRights } from '../identity/rights.ts'
import { recordTypes } from '../compliance/records.ts'
import { productsWithRecords } from './compliance.ts'

/** Questions about the boilers of the tenant as a whole. */
export const boilersRights = {
  /** When checks are due is a matter of the whole client: of who sees all of it. */
  'change compliance figures': (actor) => isManager(actor, 'boilers') && seesTenant(actor),
} satisfies GeneralRights

/** Questions about one boiler. */
export const boilerRights = {
  /** Compliance records: an engineer of the boiler area, where the device is not read-only (devices specification, section 6). */
  'add boiler record': {
    any: (actor) => isEngineer(actor, 'boilers'),
    one: (actor, device) =>
      isEngineer(actor, 'boilers') &&
      recordTypes.some((type) => productsWithRecords(type).includes(device.product)) &&
      tagsAllow(actor, device) &&
      !isReadOnly(actor, device),
  },
} satisfies SubjectRights<DeviceSubject>
