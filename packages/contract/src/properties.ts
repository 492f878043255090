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

/** A home in full, as its page shows it. Of the address nothing is told under HideCustomerPersonalData: all of it is null. */
export type { AwaabsLawCase } from './awaabs-law-case.ts'
export const Property = z
  .object({
    propertyId: z.string(),
    tenantId: z.string(),
    /** Empty where it has none. */
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
    /** The building that it stands in, and on which of its floors; null where it stands by itself. */
    building: z
      .object({ id: z.string(), name: z.string(), floorId: z.string().nullable(), floorName: z.string().nullable() })
      .nullable(),
    voidStatus: z.enum(voidFlags),
    /** Since when it is so; null where that is not known. */
    voidSince: Timestamp.nullable(),
    lastChemicalTestDate: Day.nullable(),
    lastGasSafetyCheckDate: Day.nullable(),
    /** The day of a later one that a boiler did not pass, and has not passed since; null without any. */
    gasSafetyFailedDate: Day.nullable(),
    /** The day by which the next one is due, by the figures of the tenant. */
    gasSafetyDueDate: Day.nullable(),
    chemicalTestDueDate: Day.nullable(),
    /** The days from which these are said to be near. */
    gasSafetyNearDate: Day.nullable(),
    chemicalTestNearDate: Day.nullable(),
    awaabsLawStatus: z.enum(awaabsLawStatuses),
    /** Each step of each case as it was entered, the first first: nothing of it is ever changed. */
    awaabsLawHistory: z.array(
      z.object({
        id: z.string(),
        status: z.enum(awaabsLawStatuses),
        /** The day on which it was so, and the time of day where it is known. */
        happenedOn: Day,
        happenedAt: Timestamp.nullable(),
        enteredAt: Timestamp,
        enteredBy: z.string(),
        /** What the case is about, if it was said with this step. */
        hazard: z.enum(awaabsLawHazardNames).nullable(),
        /** The day by which it had to be done, as it was counted then; null where the law names none. */
        dueOn: Day.nullable(),
        /** Of an entry that gives an earlier one its true day: which. */
        corrects: z.string().nullable(),
        /** Whether the case is an emergency, if that was said with this step. */
        emergency: z.boolean().nullable(),
        /** The entry that this one takes back: a closing by mistake. */
        takesBack: z.string().nullable(),
        /** Why the case was closed or reopened, or a date corrected. */
        reason: z.string().nullable(),
      }),
    ),
    /** Its cases, the newest first. */
    awaabsLawCases: z.array(AwaabsLawCase),
    /** The day of the soonest deadline that runs; null where none does. */
    awaabsLawDueDate: Day.nullable(),
    /** The day from which that is said to be near. */
    awaabsLawNearDate: Day.nullable(),
    /** The day by which works have to begin that keep the hazard from coming again; null before its investigation ended. */
    awaabsLawPreventiveDate: Day.nullable(),
    propertyArchitype: z.enum(architypes).nullable(),
    numberOfInhabitant: z.number().int().nullable(),
    numberOfRoom: z.number().int().nullable(),
    propertyOrientation: z.enum(compassPoints).nullable(),
    numberOfFloor: z.number().int().nullable(),
    apartmentLevel: z.number().int().nullable(),
    /** Where in the home devices are. */
    locations: z.array(z.object({ id: z.string(), name: z.string(), details: z.string().nullable() })),
    /** What heats the home, as far as its devices monitor that. */
    monitoring: z.enum(heatingTypes),
    /** The tags of its devices. */
    deviceTags: z.array(Tag),
    deviceCount: z.number().int(),
    accessRightsTag: z.object({ id: z.string(), displayName: z.string() }).nullable(),
    /** Where the surveys of the client are; null where nobody has said. */
    surveys: z.record(z.enum(surveyLabels), z.url().nullable()),
    /** When it was taken out of the lists. */
    archivedAt: Timestamp.nullable(),
    /** Changes with every change: sent along, it keeps two people from writing over each other. */
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

/** A row of the listing of homes. */
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
    /** The soonest deadline that runs: the first instant of its day, or the hour of an emergency; null where none runs. */
    awaabsLawDue: Timestamp.nullable(),
    /** From when that is late: the end of its day, or the hour itself. */
    awaabsLawLate: Timestamp.nullable(),
    /** Missed deadlines of its open case, in words; null where none was missed. */
    awaabsLawMissed: z.string().nullable(),
    /** The first instant of the day from which that is said to be near. */
    awaabsLawNear: Timestamp.nullable(),
    /** How likely damp and mould are in the worst of its rooms, and since when; null where none was assessed. */
    damp: z.enum(dampLevels),
    dampSince: Timestamp.nullable(),
    /** The reason for the level of its worst room, or why it is not assessed. */
    dampReason: z.string().nullable(),
    /** The first instant of the day on which the next check is due; null where none is known. */
    gasSafetyDue: Timestamp.nullable(),
    /** The first instant of the day from which that is said to be near. */
    gasSafetyNear: Timestamp.nullable(),
    /** The day of a later check that a boiler did not pass, and has not passed since; null without any. */
    gasSafetyFailed: Day.nullable(),
    /** The worst state of its gas appliances by their records; null for a home without gas. */
    gasSafety: z.enum(complianceStates).nullable(),
    /** The number of the certificate of the last check; null where no record proves one. */
    gasSafetyCertificate: z.string().nullable(),
    /** The first instant of the day on which the next treatment is due; null where none is known. */
    waterTreatmentDue: Timestamp.nullable(),
    waterTreatment: z.enum(complianceStates).nullable(),
    /** The state of its heating, and since when; null where nothing that heats is connected. */
    heating: z.enum(heatingStates).nullable(),
    heatingSince: Timestamp.nullable(),
    /** The worst status of its devices as far as the person sees them, and why; null without any. */
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
  summary:
    'One page of the listing of homes: filtered, searched, and sorted by reference unless another order is named.',
  ...shapes.page,
})
export const getPropertyChoices = route({
  ...calls.getPropertyChoices,
  summary: 'Values that a text field of the listing of homes has, at most 100 in their order, for choosing a filter.',
  ...shapes.choices,
})
export const exportProperties = route({
  ...calls.exportProperties,
  summary: 'All rows of the listing of homes as a file, in the columns that are named.',
  ...shapes.file,
})

const ofProperty = z.object({ tenant: TenantId, propertyId: Id })

export const getProperty = route({
  ...calls.getProperty,
  summary: 'One home, with the places in it and the tags of its devices.',
  params: ofProperty,
  reply: Property,
})

/** A device of a home (estate specification, section 3). */
export const PropertyDevice = z
  .object({
    deviceId: z.string(),
    name: z.string(),
    serialNumber: z.string(),
    /** The address of its radio; null where it has none, or has not said. */
    eui64: z.string().nullable(),
    status: z.enum(deviceStatuses),
    deviceStatus: z.enum(deviceStatuses),
    /** Why it has its status, in a word or two; null where the status says it all. */
    statusReason: z.string().nullable(),
    connectionStatus: z.enum(connectionStatuses),
    lastHeard: Timestamp.nullable(),
    product: z.enum(productCodes),
    /** The product in words. */
    deviceType: z.string(),
    model: z.string(),
    monitoring: z.enum(monitorings).nullable(),
    firmwareVersion: z.string().nullable(),
    propertyLocationId: z.string().nullable(),
    location: z.string().nullable(),
    locationDetails: z.string().nullable(),
    accessRightsTagId: z.string().nullable(),
    accessRightsTag: z.object({ id: z.string(), displayName: z.string() }).nullable(),
    /** What it speaks through, if that is a boiler control module, and if it is a hub or gateway. */
    bcmId: z.string().nullable(),
    gatewayId: z.string().nullable(),
    parentId: z.string().nullable(),
    parentProductId: z.enum(productCodes).nullable(),
    canUninstall: z.boolean(),
    isThermostatWithHomeHub: z.boolean(),
    /** What each clamp of a power meter measures, by its number, and the same as a list. */
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
    userHasReadOnlyAccess: z.boolean(),
    userCanUpdateAccessRightsTag: z.boolean(),
  })
  .meta({ id: 'PropertyDevice' })
export type PropertyDevice = z.infer<typeof PropertyDevice>

export const getPropertyDevices = route({
  ...calls.getPropertyDevices,
  summary: 'The devices of a home that the person may see, by their serial numbers.',
  params: ofProperty,
  reply: z.object({ results: z.array(PropertyDevice) }),
})

/** A text under one of the rules, which say themselves what is wrong. */
const ruled = (text: z.ZodType<string, string>, fault: (text: string) => string | undefined) =>
  text.superRefine((value, context) => {
    const message = fault(value)
    if (message) context.addIssue({ code: 'custom', message })
  })

/** A post code, which is kept in its normal form: 'HX1 5TX'. */
const Postcode = ruled(line(12), postcodeFault).transform(normalPostcode)

/** The day of a check: a day, or an instant, which is of the day that it is in the tenant's zone. */
const TestDate = z.union([Day, Instant])

/** What of a home somebody sets; what is not sent stays as it is. */
export const PropertyChanges = z
  .strictObject({
    voidStatus: z.enum(voidFlags),
    /** Approved residents who keep their access although the void flag changes; that of all others ends with the change. */
    keepAccessOf: z.array(AppUserId).max(100),
    lastChemicalTestDate: TestDate.nullable(),
    lastGasSafetyCheckDate: TestDate.nullable(),
    propertyReference: ruled(nameLine(200), propertyReferenceFault),
    /** 'NoRating' is sent as null. */
    epcRating: z.enum(ratings).nullable(),
    awaabsLawStatus: z.enum(awaabsLawStatuses),
    /** What the case is about: with a new status said of its step, alone it is entered as that step anew. */
    awaabsLawHazard: z.enum(awaabsLawHazardNames),
    /** Whether it is an emergency, said as the hazard is. */
    awaabsLawEmergency: z.boolean(),
    /** On which day the step was that is entered, if not today; or the true day of the one that is corrected. */
    awaabsLawHappenedOn: Day,
    /** The instant, where the time of day is known: emergencies count hours. Today's entries without a day have it. */
    awaabsLawHappenedAt: Instant,
    /** A step of the open case that was entered with another day than the true one; needs a reason. */
    awaabsLawCorrects: Id,
    /** Why a case is closed or a date corrected (required then), or a case reopened. */
    awaabsLawReason: text(500),
    /** Takes back that the last case was closed: it goes on with its dates. */
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

/** The version that was looked at: refused where somebody else has changed the home since. */

const details = <M extends 'PUT' | 'POST', A extends string>(call: Call<M, A>) =>
  route({
    ...call,
    summary: 'Changes what is sent of a home and leaves the rest as it is.',
    params: ofProperty,
    body: PropertyChanges.extend({ version: Version.optional() }),
    reply: Property,
  })
/** The document names no method: the server takes both (decisions, 5). */
export const putPropertyDetails = details(calls.putPropertyDetails)
export const postPropertyDetails = details(calls.postPropertyDetails)

/** An address; a part that is not sent is empty. */
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
    summary: 'Stores the address of a home.',
    params: ofProperty,
    body: PropertyAddress.extend({ version: Version.optional() }),
    reply: Property,
  })
export const putPropertyAddress = addresses(calls.putPropertyAddress)
export const postPropertyAddress = addresses(calls.postPropertyAddress)

export const setPropertyAccessRightsTag = route({
  ...calls.setPropertyAccessRightsTag,
  summary: 'Sets the access rights tag of a home, by which limited users see it; null removes it.',
  params: ofProperty,
  body: z.strictObject({ accessRightsTagId: Id.nullable(), version: Version.optional() }),
  reply: Property,
})

export const addProperty = route({
  ...calls.addProperty,
  summary: 'Adds a home by its address. Its reference may be empty; of those that have one no two have the same.',
  status: 201,
  params: z.object({ tenant: TenantId }),
  body: PropertyAddress.extend({ propertyReference: ruled(nameLine(200), propertyReferenceFault).default('') }),
  reply: Property,
})

export const moveProperty = route({
  ...calls.moveProperty,
  summary: 'Moves a home to another building, on one of its floors or none, with all devices in it.',
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
    summary,
    params: ofProperty,
    body: z.strictObject({ version: Version.optional() }),
    reply: Property,
  })
export const archiveProperty = archiving(
  calls.archiveProperty,
  'Takes a home without devices out of lists and counts; all that is recorded of it stays.',
)
export const bringBackProperty = archiving(
  calls.bringBackProperty,
  'Brings an archived home back into lists and counts.',
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
  summary:
    'The homes that were taken out of the lists, the last first; at most 1,000 of them. With `search`, those whose reference, address or post code has the text in it.',
  params: z.object({ tenant: TenantId }),
  query: z.object({ search: line(200).optional() }),
  reply: z.object({ results: z.array(ArchivedProperty) }),
})

/** The addresses of a post code, and where on the map it is in degrees (estate specification, section 3). */
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
  summary: 'The addresses that are known of a post code.',
  query: z.strictObject({ tenant: TenantId, postcode: Postcode }),
  reply: FoundAddresses,
})
