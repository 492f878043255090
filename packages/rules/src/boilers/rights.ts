import type { DeviceSubject } from '../devices/rights.ts'
import { isReadOnly } from '../devices/rights.ts'
import { isEngineer, isManager, seesTenant, tagsAllow } from '../identity/actor.ts'
import type { GeneralRights, SubjectRights } from '../identity/rights.ts'
import { recordTypes } from '../compliance/records.ts'
import { productsWithRecords } from './compliance.ts'

/** Rights on all boilers of the tenant. */
export const boilersRights = {
  /** Due dates concern the whole client, so only users who see all of it may change them. */
  'change compliance figures': (actor) => isManager(actor, 'boilers') && seesTenant(actor),
} satisfies GeneralRights

/** Rights on one boiler. */
export const boilerRights = {
  /**
   * Compliance records: an engineer of the boiler area, unless the device is read-only (devices specification, section
   * 6).
   */
  'add boiler record': {
    any: (actor) => isEngineer(actor, 'boilers'),
    one: (actor, device) =>
      isEngineer(actor, 'boilers') &&
      recordTypes.some((type) => productsWithRecords(type).includes(device.product)) &&
      tagsAllow(actor, device) &&
      !isReadOnly(actor, device),
  },
} satisfies SubjectRights<DeviceSubject>
