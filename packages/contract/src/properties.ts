import { z } from 'zod'
import { faultSources } from '@caretaker/rules/devices/fault.ts'
import { connectionStatuses } from '@caretaker/rules/devices/connection.ts'
import { monitorings } from '@caretaker/rules/devices/monitoring.ts'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import { deviceStatuses } from '@caretaker/rules/devices/status.ts'
import { normalPostcode, postcodeFault } from '@caretaker/rules/postcodes/postcode.ts'
import {
  architypes,
  awaabsLawStatuses,
  mostCounted,
  mostFloors,
  propertyReferenceFault,
  surveyLabels,
} from '@caretaker/rules/properties/details.ts'
import { awaabsLawHazardNames } from '@caretaker/rules/properties/awaabs-law.ts'
import { AwaabsLawCase } from './awaabs-law-case.ts'
import { propertyFieldIds, propertyLists } from '@caretaker/rules/properties/list.ts'
import { compassPoints, energyRatings, heatingTypes, voidFlags } from '@caretaker/rules/properties/dwelling.ts'
import { complianceStates } from '@caretaker/rules/compliance/due.ts'
import { heatingStates } from '@caretaker/rules/properties/heating.ts'
import { dampLevels } from '@caretaker/rules/properties/damp.ts'
import { listShapes, viewData } from './lists.ts'
import { Id, Instant, TenantId, Timestamp, line, nameLine, text, Version } from './scalars.ts'
import { route } from './route.ts'
import { AppUserId } from './residents.ts'
import { Tag } from './tags.ts'
import type { Call } from './call.ts'
import * as calls from './calls/properties.ts'

const Day = z.iso.date()
const ratings = energyRatings.filter((rating) => rating !== 'NoRating')
const Count = (most: number, least = 0) => z.number().int().min(least).max(most)

/** A property with all details. Under HideCustomerPersonalData, all address fields are null. */
export type { AwaabsLawCase } from './awaabs-law-case.ts'
export const Property = z
  .object({
    propertyId: z.string(),
    tenantId: z.string(),
    /** Empty without a reference. */
    propertyReference: z.string(),
    postcode: z.string().nullable(),
    address1: z.string().nullable(),
    address2: z.string().nullable(),
    address3: z.string().nullable(),
    town: z.string().nullable(),
    county: z.string().nullable(),
    latitude: z.number().nullable(),
    longitude: z.number().nullable(),
    epcRating: z.enum(ratings).nullable(),
    /** The building and floor of the property; null for a standalone property. */
    building: z
      .object({ id: z.string(), name: z.string(), floorId: z.string().nullable(), floorName: z.string().nullable() })
      .nullable(),
    voidStatus: z.enum(voidFlags),
    /** The start of the current void status; null when unknown. */
    voidSince: Timestamp.nullable(),
    lastChemicalTestDate: Day.nullable(),
    lastGasSafetyCheckDate: Day.nullable(),
    /** The day of a later check that a boiler failed and has not passed since; null when there is none. */
    gasSafetyFailedDate: Day.nullable(),
    /** The day by which the next check is due, according to the tenant's figures. */
    gasSafetyDueDate: Day.nullable(),
    chemicalTestDueDate: Day.nullable(),
    /** The days from which these dates count as due soon. */
    gasSafetyNearDate: Day.nullable(),
    chemicalTestNearDate: Day.nullable(),
    awaabsLawStatus: z.enum(awaabsLawStatuses),
    /** Every step of every case as it was entered, oldest first. Entries are never changed. */
    awaabsLawHistory: z.array(
      z.object({
        id: z.string(),
        status: z.enum(awaabsLawStatuses),
        /** The day of the step, and the instant when the time of day is known. */
        happenedOn: Day,
        happenedAt: Timestamp.nullable(),
        enteredAt: Timestamp,
        enteredBy: z.string(),
        /** The hazard, if it was entered with this step. */
        hazard: z.enum(awaabsLawHazardNames).nullable(),
        /** The day by which the step was due, as calculated when it was entered; null when the law sets no limit. */
        dueOn: Day.nullable(),
        /** The id of the entry whose date this entry corrects. */
        corrects: z.string().nullable(),
        /** Whether the case is an emergency, if it was entered with this step. */
        emergency: z.boolean().nullable(),
        /** The id of the entry that this one reverts: a case closed by mistake. */
        undoes: z.string().nullable(),
        /** Why the case was closed or reopened, or a date corrected. */
        reason: z.string().nullable(),
      }),
    ),
    /** Its cases, newest first. */
    awaabsLawCases: z.array(AwaabsLawCase),
    /** The day of the next open deadline; null without one. */
    awaabsLawDueDate: Day.nullable(),
    /** The day from which that deadline counts as due soon. */
    awaabsLawNearDate: Day.nullable(),
    /**
     * The day by which preventive works have to begin, so that the hazard does not recur; null before the investigation
     * is complete.
     */
    awaabsLawPreventiveDate: Day.nullable(),
    propertyArchitype: z.enum(architypes).nullable(),
    numberOfInhabitant: z.number().int().nullable(),
    numberOfRoom: z.number().int().nullable(),
    propertyOrientation: z.enum(compassPoints).nullable(),
    numberOfFloor: z.number().int().nullable(),
    apartmentLevel: z.number().int().nullable(),
    /** The locations of devices in the property. */
    locations: z.array(z.object({ id: z.string(), name: z.string(), details: z.string().nullable() })),
    /** The heating of the property, as far as its devices monitor it. */
    monitoring: z.enum(heatingTypes),
    deviceTags: z.array(Tag),
    deviceCount: z.number().int(),
    accessRightsTag: z.object({ id: z.string(), displayName: z.string() }).nullable(),
    /** The addresses of the client's surveys; null when not set. */
    surveys: z.record(z.enum(surveyLabels), z.url().nullable()),
    /** When the property was archived; null for one that is not. */
    archivedAt: Timestamp.nullable(),
    /** Increases with every change. Send it with a change, so that a change by someone else is not overwritten. */
    version: z.number().int(),
  })
  .meta({ id: 'Property' })
export type Property = z.infer<typeof Property>

/** The fields of a property in the estate specification, section 3. */
export const PropertyRecord = Property.pick({
  ...{ propertyId: true, tenantId: true, propertyReference: true, postcode: true },
  ...{ address1: true, address2: true, address3: true, town: true, county: true, latitude: true, longitude: true },
  ...{ epcRating: true, voidStatus: true, lastChemicalTestDate: true, lastGasSafetyCheckDate: true },
  ...{ awaabsLawStatus: true, propertyArchitype: true, numberOfInhabitant: true, numberOfRoom: true },
  ...{ propertyOrientation: true, numberOfFloor: true, apartmentLevel: true, locations: true },
}).meta({ id: 'PropertyRecord' })
export type PropertyRecord = z.infer<typeof PropertyRecord>

export const PropertyRow = z
  .object({
    propertyId: z.string(),
    propertyReference: z.string(),
    /** Both null under HideCustomerPersonalData. */
    postcode: z.string().nullable(),
    address: z.string().nullable(),
    voidStatus: z.enum(voidFlags),
    epcRating: z.enum(ratings).nullable(),
    awaabsLawStatus: z.enum(awaabsLawStatuses),
    awaabsLawSince: Timestamp.nullable(),
    /** The next open deadline: the start of its day, or the hour of an emergency; null without one. */
    awaabsLawDue: Timestamp.nullable(),
    /** When that deadline is missed: the end of its day, or the hour itself. */
    awaabsLawLate: Timestamp.nullable(),
    /** The missed deadlines of its open case, as text; null without one. */
    awaabsLawMissed: z.string().nullable(),
    /** The start of the day from which that deadline counts as due soon. */
    awaabsLawNear: Timestamp.nullable(),
    /**
     * The damp and mould level of its worst room and the start of that level; the start is null when no room was
     * assessed.
     */
    damp: z.enum(dampLevels),
    dampSince: Timestamp.nullable(),
    /** The reason for the level of the worst room, or why none was assessed. */
    dampReason: z.string().nullable(),
    /** The start of the day on which the next check is due; null when unknown. */
    gasSafetyDue: Timestamp.nullable(),
    /** The start of the day from which the check counts as due soon. */
    gasSafetyNear: Timestamp.nullable(),
    /** The day of a later check that a boiler failed and has not passed since; null when there is none. */
    gasSafetyFailed: Day.nullable(),
    /** The worst state of its gas appliances according to their records; null for a property without gas. */
    gasSafety: z.enum(complianceStates).nullable(),
    /** The certificate number of the last check; null without a record. */
    gasSafetyCertificate: z.string().nullable(),
    /** The start of the day on which the next treatment is due; null when unknown. */
    waterTreatmentDue: Timestamp.nullable(),
    waterTreatment: z.enum(complianceStates).nullable(),
    /** The state of its heating, and the start of that state; null when no heating device is connected. */
    heating: z.enum(heatingStates).nullable(),
    heatingSince: Timestamp.nullable(),
    /** The worst status among its devices that the user may see, and the cause; null without devices. */
    deviceStatus: z.enum(deviceStatuses).nullable(),
    deviceStatusReason: z.string().nullable(),
    deviceCount: z.number().int(),
    deviceTags: z.array(Tag),
    accessRightsTag: z.object({ id: z.string(), displayName: z.string() }).nullable(),
  })
  .meta({ id: 'PropertyRow' })
export type PropertyRow = z.infer<typeof PropertyRow>

const shapes = listShapes({
  lists: propertyLists,
  fields: propertyFieldIds,
  data: viewData(PropertyRow).meta({ id: 'PropertyData' }),
})

export const fetchProperties = route({
  ...calls.fetchProperties,
  looksAt: { of: 'home', as: 'list', name: 'Property list' },
  summary:
    'One page of the properties listing: filtered, searched, and sorted by reference unless another order is given.',
  ...shapes.page,
})
export const getPropertyChoices = route({
  ...calls.getPropertyChoices,
  summary: 'Up to 100 values of a text field of the properties listing, in order, as choices for a filter.',
  ...shapes.choices,
})
export const exportProperties = route({
  ...calls.exportProperties,
  recentSignIn: true,
  looksAt: { of: 'home', as: 'file', name: 'Property list' },
  summary: 'All rows of the properties listing as a file, with the columns given.',
  ...shapes.file,
})

const ofProperty = z.object({ tenant: TenantId, propertyId: Id })

export const getProperty = route({
  ...calls.getProperty,
  looksAt: { of: 'home', as: 'page', name: 'Property' },
  hasVersion: true,
  summary: 'One property, with its locations and the tags of its devices.',
  params: ofProperty,
  reply: Property,
})

/** A device of a property (estate specification, section 3). */
export const PropertyDevice = z
  .object({
    deviceId: z.string(),
    name: z.string(),
    serialNumber: z.string(),
    /** The address of its radio; null when it has none or has not reported it. */
    eui64: z.string().nullable(),
    status: z.enum(deviceStatuses),
    deviceStatus: z.enum(deviceStatuses),
    /** The cause of the status in a word or two; null when the status needs no explanation. */
    statusReason: z.string().nullable(),
    connectionStatus: z.enum(connectionStatuses),
    lastHeard: Timestamp.nullable(),
    product: z.enum(productCodes),
    /** The name of the product. */
    deviceType: z.string(),
    model: z.string(),
    monitoring: z.enum(monitorings).nullable(),
    firmwareVersion: z.string().nullable(),
    propertyLocationId: z.string().nullable(),
    location: z.string().nullable(),
    locationDetails: z.string().nullable(),
    accessRightsTagId: z.string().nullable(),
    accessRightsTag: z.object({ id: z.string(), displayName: z.string() }).nullable(),
    /** The boiler control module, and the hub or gateway, that it is connected through. */
    bcmId: z.string().nullable(),
    gatewayId: z.string().nullable(),
    parentId: z.string().nullable(),
    parentProductId: z.enum(productCodes).nullable(),
    canUninstall: z.boolean(),
    isThermostatWithHomeHub: z.boolean(),
    /** The circuits of a power meter's clamps: by clamp number, and as a list. */
    powerClamps: z.record(z.string(), z.string()).nullable(),
    clamps: z.array(z.object({ circuit: z.string(), location: z.string() })),
    tags: z.array(Tag),
    fault: z
      .object({
        code: z.string(),
        description: z.string().nullable(),
        source: z.enum(faultSources),
        isResettable: z.boolean(),
      })
      .nullable(),
    remoteResetSupported: z.boolean(),
    inWholesale: z.boolean(),
    /** Whether its messages come through a connection of the client. */
    isOfConnection: z.boolean(),
    userHasReadOnlyAccess: z.boolean(),
    userCanUpdateAccessRightsTag: z.boolean(),
  })
  .meta({ id: 'PropertyDevice' })
export type PropertyDevice = z.infer<typeof PropertyDevice>

export const getPropertyDevices = route({
  ...calls.getPropertyDevices,
  summary: 'The devices of a property that the user may see, by serial number.',
  params: ofProperty,
  reply: z.object({ results: z.array(PropertyDevice) }),
})

/** A text that a domain rule validates, with the rule's message. */
const validated = (text: z.ZodType<string, string>, fault: (text: string) => string | undefined) =>
  text.superRefine((value, context) => {
    const message = fault(value)
    if (message) context.addIssue({ code: 'custom', message })
  })

/** A postcode, normalised to the form 'HX1 5TX'. */
const Postcode = validated(line(12), postcodeFault).transform(normalPostcode)

/** The day of a check: a day, or an instant that falls on that day in the tenant's time zone. */
const TestDate = z.union([Day, Instant])

/** The fields of a property that users can change. Fields that are not sent keep their values. */
export const PropertyChanges = z
  .strictObject({
    voidStatus: z.enum(voidFlags),
    /** Approved residents who keep their access when the void flag changes. All other residents lose it. */
    keepAccessOf: z.array(AppUserId).max(100),
    lastChemicalTestDate: TestDate.nullable(),
    lastGasSafetyCheckDate: TestDate.nullable(),
    propertyReference: validated(nameLine(200), propertyReferenceFault),
    /** Null for 'NoRating'. */
    epcRating: z.enum(ratings).nullable(),
    awaabsLawStatus: z.enum(awaabsLawStatuses),
    /**
     * The hazard of the case. With a new status it belongs to that step; alone it is entered as a new entry of the
     * current step.
     */
    awaabsLawHazard: z.enum(awaabsLawHazardNames),
    /** Whether the case is an emergency, entered like the hazard. */
    awaabsLawEmergency: z.boolean(),
    /** The day of the new step, by default today, or the correct day of the corrected step. */
    awaabsLawHappenedOn: Day,
    /**
     * The instant, when the time of day is known, because emergencies count hours. An entry for today without a day
     * gets the current time.
     */
    awaabsLawHappenedAt: Instant,
    /** The step of the open case whose day is corrected; requires a reason. */
    awaabsLawCorrects: Id,
    /** Required when a case is closed or a date is corrected; optional when a case is reopened. */
    awaabsLawReason: text(500),
    /** Reopens the last closed case with its dates. */
    awaabsLawReopen: z.literal(true),
    propertyArchitype: z.enum(architypes).nullable(),
    numberOfInhabitant: Count(mostCounted, 1).nullable(),
    numberOfRoom: Count(mostCounted, 1).nullable(),
    propertyOrientation: z.enum(compassPoints).nullable(),
    numberOfFloor: Count(mostFloors).nullable(),
    apartmentLevel: Count(mostFloors).nullable(),
  })
  .partial()
export type PropertyChanges = z.infer<typeof PropertyChanges>

/**
 * The version that the change is based on: if someone else has changed the property since, the call is rejected with
 * 409.
 */

const details = <M extends 'PUT' | 'POST', A extends string>(call: Call<M, A>) =>
  route({
    ...call,
    hasVersion: true,
    summary: 'Changes the fields of a property that are sent, and keeps the others.',
    params: ofProperty,
    body: PropertyChanges.extend({ version: Version.optional() }),
    reply: Property,
  })
/** The specification names no method, so the server accepts both (decisions, 5). */
export const putPropertyDetails = details(calls.putPropertyDetails)
export const postPropertyDetails = details(calls.postPropertyDetails)

/** An address. Parts that are not sent are empty. */
export const PropertyAddress = z.strictObject({
  address1: nameLine(100).default(''),
  address2: nameLine(100).default(''),
  address3: nameLine(100).default(''),
  town: nameLine(60).default(''),
  county: nameLine(60).default(''),
  postcode: Postcode,
  latitude: z.number().min(-90).max(90).nullable().default(null),
  longitude: z.number().min(-180).max(180).nullable().default(null),
})

const addresses = <M extends 'PUT' | 'POST', A extends string>(call: Call<M, A>) =>
  route({
    ...call,
    hasVersion: true,
    summary: 'Sets the address of a property.',
    params: ofProperty,
    body: PropertyAddress.extend({ version: Version.optional() }),
    reply: Property,
  })
export const putPropertyAddress = addresses(calls.putPropertyAddress)
export const postPropertyAddress = addresses(calls.postPropertyAddress)

export const setPropertyAccessRightsTag = route({
  ...calls.setPropertyAccessRightsTag,
  hasVersion: true,
  summary: 'Sets the access rights tag of a property, which controls which restricted users see it; null removes it.',
  params: ofProperty,
  body: z.strictObject({ accessRightsTagId: Id.nullable(), version: Version.optional() }),
  reply: Property,
})

export const addProperty = route({
  ...calls.addProperty,
  summary: 'Adds a property with its address. The reference is optional, but must be unique.',
  status: 201,
  params: z.object({ tenant: TenantId }),
  body: PropertyAddress.extend({ propertyReference: validated(nameLine(200), propertyReferenceFault).default('') }),
  reply: Property,
})

export const moveProperty = route({
  ...calls.moveProperty,
  hasVersion: true,
  summary: 'Moves a property with all its devices to another building, on one of its floors or on none.',
  params: ofProperty,
  body: z.strictObject({
    buildingId: Id.nullable(),
    floorId: Id.nullable().default(null),
    version: Version.optional(),
  }),
  reply: Property,
})

const archiving = <A extends string>(call: Call<'POST', A>, summary: string) =>
  route({
    ...call,
    hasVersion: true,
    summary,
    params: ofProperty,
    body: z.strictObject({ version: Version.optional() }),
    reply: Property,
  })
export const archiveProperty = archiving(
  calls.archiveProperty,
  'Archives a property without devices: it no longer appears in lists and counts, and its records are kept.',
)
export const bringBackProperty = archiving(
  calls.bringBackProperty,
  'Restores an archived property to lists and counts.',
)

export const ArchivedProperty = z
  .object({
    propertyId: z.string(),
    propertyReference: z.string(),
    /** Null under HideCustomerPersonalData. */
    address: z.string().nullable(),
    archivedAt: Timestamp,
    version: z.number().int(),
  })
  .meta({ id: 'ArchivedProperty' })
export type ArchivedProperty = z.infer<typeof ArchivedProperty>

export const getArchivedProperties = route({
  ...calls.getArchivedProperties,
  looksAt: { of: 'home', as: 'list', name: 'Archived properties' },
  summary: 'Up to 1,000 archived properties, last archived first. `search` matches the reference, address or postcode.',
  params: z.object({ tenant: TenantId }),
  query: z.object({ search: line(200).optional() }),
  reply: z.object({ results: z.array(ArchivedProperty) }),
})

/** The addresses of a postcode, and its position in degrees (estate specification, section 3). */
export const FoundAddresses = z
  .object({
    addresses: z.array(
      z.object({
        line1: z.string(),
        line2: z.string(),
        line3: z.string(),
        town: z.string(),
        county: z.string(),
        postcode: z.string(),
      }),
    ),
    latitude: z.number().nullable(),
    longitude: z.number().nullable(),
  })
  .meta({ id: 'FoundAddresses' })
export type FoundAddresses = z.infer<typeof FoundAddresses>

export const findAddresses = route({
  ...calls.findAddresses,
  summary: 'The known addresses of a postcode.',
  query: z.strictObject({ tenant: TenantId, postcode: Postcode }),
  reply: FoundAddresses,
})
