import type { Property, PropertyDevice, PropertyRow } from '@caretaker/contract/properties.ts'
import { fetchProperties, getProperty, getPropertyDevices } from '@caretaker/contract/properties.ts'
import type { ServerAnswer } from '../network.ts'
import { answer, exampleOf } from '../network.ts'
import { idOf } from './devices.ts'
import { viewDefinitions } from './views.ts'

/** A let property with a boiler, with minimal data. */
export function aHome(more: Partial<Property> = {}): Property {
  return {
    ...exampleOf(getProperty),
    ...{ propertyId: idOf(50), propertyReference: 'NG-0050', voidStatus: 'NotVoid', awaabsLawStatus: 'None' },
    ...{ address1: '4 Mill Lane', address2: '', address3: '', town: 'Halifax', county: '', postcode: 'HX1 5TX' },
    ...{ building: null, monitoring: 'Boiler', awaabsLawHistory: [], awaabsLawDueDate: null, archivedAt: null },
    ...{ deviceTags: [], deviceCount: 1, accessRightsTag: null, voidSince: null },
    ...more,
  }
}

/** A device of that property that the user may change. */
export function aHomeDevice(more: Partial<PropertyDevice> = {}): PropertyDevice {
  return {
    ...exampleOf(getPropertyDevices).results[0]!,
    ...{ deviceId: idOf(51), name: 'Flat 4 boiler', serialNumber: 'BX000051', product: 'BX', deviceType: 'Boiler' },
    ...{ status: 'Ok', deviceStatus: 'Ok', statusReason: null, connectionStatus: 'Connected', parentId: null },
    ...{ parentProductId: null, bcmId: null, gatewayId: null, canUninstall: true, isThermostatWithHomeHub: false },
    ...{ tags: [], fault: null, remoteResetSupported: true, inWholesale: false, userHasReadOnlyAccess: false },
    ...{ userCanUpdateAccessRightsTag: true, accessRightsTag: null, accessRightsTagId: null },
    ...more,
  }
}

/** A row of the list of properties. */
export function aHomeRow(more: Partial<PropertyRow> = {}): PropertyRow {
  return {
    ...exampleOf(fetchProperties).rows[0]!,
    ...{ propertyId: idOf(50), propertyReference: 'NG-0050', address: '4 Mill Lane, Halifax', postcode: 'HX1 5TX' },
    ...more,
  }
}

/** The list of these properties, and the page of one with its devices. */
export const homePages = (home: Property = aHome(), devices: PropertyDevice[] = []): ServerAnswer[] => [
  ...viewDefinitions(),
  answer(fetchProperties, {
    ...exampleOf(fetchProperties),
    ...{ rows: [aHomeRow({ propertyId: home.propertyId, propertyReference: home.propertyReference })] },
    ...{ total: 1, outOf: 1, page: 1, pageSize: 25 },
  }),
  answer(getProperty, home),
  answer(getPropertyDevices, { results: devices }),
]
