import type { PropertyRow } from '@caretaker/contract/properties.ts'
import { exportProperties, fetchProperties, getPropertyChoices } from '@caretaker/contract/calls/properties.ts'
import { selectsHomes } from '@caretaker/rules/actions/home-actions.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import type { ComplianceState } from '@caretaker/rules/compliance/due.ts'
import { stateWords } from '@caretaker/rules/compliance/due.ts'
import { statusWords } from '@caretaker/rules/devices/status.ts'
import type { DampLevel } from '@caretaker/rules/properties/damp.ts'
import { dampLevelWords } from '@caretaker/rules/properties/damp.ts'
import type { VoidFlag } from '@caretaker/rules/properties/dwelling.ts'
import { voidWords } from '@caretaker/rules/properties/dwelling.ts'
import type { HeatingState } from '@caretaker/rules/properties/heating.ts'
import { heatingStateWords } from '@caretaker/rules/properties/heating.ts'
import { propertyLists } from '@caretaker/rules/properties/list.ts'
import { lazily } from '../../../ui/lazily.tsx'
import { rememberListing } from '../../../api/last-listing.ts'
import type { ListSource } from '../../../lists/list-source.ts'
import { propertyQuery } from '../queries.ts'
import { statusGroups } from '../../../ui/status-groups.ts'
import { ImportLink } from './import-link.tsx'
import { PhoneRow, propertyLooks } from './looks.tsx'

const HomesBar = lazily(async () => (await import('./homes-bar.tsx')).HomesBar)

const plurals: Record<string, string> = {
  awaabsLawStatus: 'steps',
  damp: 'levels',
  status: 'statuses',
  gasSafety: 'states',
  waterTreatment: 'states',
  heating: 'states',
}

/** The description of the property list for the list component. */
export const propertyList: ListSource<PropertyRow> = {
  list: propertyLists.Properties,
  calls: { page: fetchProperties, choices: getPropertyChoices, file: exportProperties },
  shows: { subjects: ['property', 'device'] },
  looks: propertyLooks,
  words: {
    word(fieldId, value) {
      if (fieldId === 'voidStatus') return voidWords[value as VoidFlag]
      if (fieldId === 'status') return statusWords(value)
      if (fieldId === 'gasSafety' || fieldId === 'waterTreatment') return stateWords[value as ComplianceState]
      if (fieldId === 'heating') return heatingStateWords[value as HeatingState]
      return fieldId === 'damp' ? dampLevelWords[value as DampLevel] : undefined
    },
    groups: (fieldId) => (fieldId === 'status' ? statusGroups : undefined),
    plural: (fieldId) => plurals[fieldId],
  },
  noun: 'properties',
  emptyHint: 'Properties appear here once they are added to this client.',
  rowId: ({ propertyId }) => propertyId,
  rowName: (row) => row.propertyReference || 'No reference',
  rowHref: ({ tenant }, { propertyId }) => pathTo(tenant, 'Properties', propertyId, 'info'),
  onHover: (client, tenant, { propertyId }) => void client.prefetchQuery(propertyQuery(tenant, propertyId)),
  phoneRow: (row) => <PhoneRow row={row} />,
  phoneFields: ['propertyReference', 'address', 'postcode', 'status', 'voidStatus', 'awaabsLawStatus'],
  selecting: { isOffered: selectsHomes, fault: () => undefined, Bar: HomesBar },
  pinField: { fieldId: 'propertyReference', of: ({ propertyReference }) => propertyReference },
  tabs: ['void', 'awaabs-law-open', 'damp-and-mould'],
  Begin: ImportLink,
  onShown: (tenant, _area, address) => rememberListing(tenant, 'Properties', address),
}
