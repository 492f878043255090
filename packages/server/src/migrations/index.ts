import type { Kysely } from 'kysely'
import * as baseline from './0297-baseline.ts'
import * as reasonsOfRemoval from './0298-reasons-of-removal.ts'
import * as searchForms from './0299-search-forms.ts'
import * as searchFormsOfDevices from './0300-search-forms-of-devices.ts'
import * as naturalOrder from './0301-natural-order.ts'
import * as partsOfMessages from './0302-parts-of-messages.ts'
import * as alertsOfHomes from './0303-alerts-of-homes.ts'
import * as indexesOfAlertsOfHomes from './0304-indexes-of-alerts-of-homes.ts'
import * as indexesOfTests from './0305-indexes-of-tests.ts'
import * as connections from './0306-connections.ts'
import * as secondFactors from './0307-second-factors.ts'
import * as personalDataReads from './0308-personal-data-reads.ts'
import * as provisioning from './0309-provisioning.ts'
import * as singleSignOn from './0310-single-sign-on.ts'
import * as mosquittoHashes from './0311-mosquitto-hashes.ts'
import * as callsOfSoftware from './0312-calls-of-software.ts'
import * as downlinks from './0313-downlinks.ts'
import * as statisticsOfDates from './0314-statistics-of-dates.ts'
import * as checksOfDomains from './0316-checks-of-domains.ts'

export interface Migration {
  up(db: Kysely<unknown>): Promise<void>
  /**
   * `false`: its statements are committed one by one, as those of indexes that are built while people work
   * (`concurrent-index.ts`). One that failed half way is run again from its beginning.
   */
  transaction?: boolean
}

/** Every migration in its order. They only go forward: a mistake is mended by the next one. */
export const migrations: Record<string, Migration> = {
  '0297-baseline': baseline,
  '0298-reasons-of-removal': reasonsOfRemoval,
  '0299-search-forms': searchForms,
  '0300-search-forms-of-devices': searchFormsOfDevices,
  '0301-natural-order': naturalOrder,
  '0302-parts-of-messages': partsOfMessages,
  '0303-alerts-of-homes': alertsOfHomes,
  '0304-indexes-of-alerts-of-homes': indexesOfAlertsOfHomes,
  '0305-indexes-of-tests': indexesOfTests,
  '0306-connections': connections,
  '0307-second-factors': secondFactors,
  '0308-personal-data-reads': personalDataReads,
  '0309-provisioning': provisioning,
  '0310-single-sign-on': singleSignOn,
  '0311-mosquitto-hashes': mosquittoHashes,
  '0312-calls-of-software': callsOfSoftware,
  '0313-downlinks': downlinks,
  '0314-statistics-of-dates': statisticsOfDates,
  '0316-checks-of-domains': checksOfDomains,
}
