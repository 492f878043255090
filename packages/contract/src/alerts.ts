import { z } from 'zod'
import { previewDays } from '@caretaker/rules/alerts/engine.ts'
import { delayUnits, notificationTypes, triggerTypes } from '@caretaker/rules/alerts/delay.ts'
import { longestDelayDays, mostInScope } from '@caretaker/rules/alerts/definition.ts'
import { families } from '@caretaker/rules/alerts/scope.ts'
import { alertEndings } from '@caretaker/rules/alerts/words.ts'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import { Id, Instant, TenantId, Timestamp, inTenant, text } from './scalars.ts'
import * as calls from './calls/alerts.ts'

export { mostOver } from './calls/alerts.ts'

/**
 * Which devices a rule covers: those of the families, in the buildings and with one of the tags; an empty list limits nothing. A rule
 * about a fact of homes covers homes by their building and by the tags of their devices; families limit devices in no home alone.
 */
export const AlertScope = z
  .object({
    families: z.array(z.enum(families)).max(mostInScope),
    buildingIds: z.array(Id).max(mostInScope),
    tagIds: z.array(Id).max(mostInScope),
  })
  .meta({ id: 'AlertScope' })

/** A rule: who is notified when devices that it covers meet a condition for a while. */
export const AlertDefinition = z
  .object({
    tagTenant: z.string(),
    /** The tag of a rule that covers one tag and nothing else; empty otherwise. */
    tagId: z.string(),
    /** Its tags by name. */
    tagName: z.string(),
    scope: AlertScope,
    /** The scope in words: 'Emergency lights in Oak House'. */
    covers: z.string(),
    /** A rule that is switched off opens no alerts. */
    enabled: z.boolean(),
    alertId: z.string(),
    /** Whether the client made it; a predefined one cannot be deleted. */
    definedByTenant: z.boolean(),
    delay: z.number(),
    delayUnit: z.enum(delayUnits),
    /** The delay and its unit as one text: '5 mins'. */
    delayDisplay: z.string(),
    notificationType: z.enum(notificationTypes),
    /** E-mail addresses with commas between them. */
    notificationTarget: z.string(),
    /** Addresses of the target that get no more of it, because whoever reads them left by the link in an e-mail. */
    left: z.array(z.object({ address: z.string(), at: Timestamp })),
    triggerType: z.enum(triggerTypes),
    triggerCondition: z.string(),
  })
  .meta({ id: 'AlertDefinition' })
export type AlertDefinition = z.infer<typeof AlertDefinition>

/** The client of a rule is the one of its tag. */
const ofTagTenant = <T extends { tagTenant: string }>(body: T) => ({ ...body, tenant: body.tagTenant })

/** What people write of a rule. What is wrong with it the rules say, each field in its words. */
const written = {
  tagTenant: TenantId,
  /** May be left out where `scope` says what the rule covers. */
  tagId: text(100).default(''),
  scope: AlertScope.optional(),
  enabled: z.boolean().optional(),
  delay: z.number().meta({ type: 'integer', minimum: 0, maximum: longestDelayDays * 24 * 60 }),
  delayUnit: z.enum(delayUnits),
  notificationType: z.enum(notificationTypes),
  notificationTarget: z.string().max(4000),
  triggerType: z.enum(triggerTypes),
  triggerCondition: text(100),
}

export const getAlertDefinitions = route({
  ...calls.getAlertDefinitions,
  summary:
    "The client's alert definitions by what they cover, how many default rules it lacks, and how many of its homes are void and so muted.",
  body: inTenant,
  reply: envelope(
    z.object({ alerts: z.array(AlertDefinition), missingDefaults: z.number(), voidProperties: z.number() }),
  ),
})

export const createAlertDefinition = route({
  ...calls.createAlertDefinition,
  summary:
    'Creates an alert definition on a tag, or on what `scope` says; takes a whole one, of which id, tag name and display texts are ignored.',
  body: z.object(written).transform(ofTagTenant),
  reply: envelope(AlertDefinition),
})

export const updateAlertDefinition = route({
  ...calls.updateAlertDefinition,
  summary:
    'Changes an alert definition; takes a whole one. The target of an EMAILUNEDITABLE one stays as it is. An address that is entered anew, or named in `invited`, is told again although it left.',
  body: z
    .object({ ...written, alertId: Id, invited: z.array(z.string().max(254)).max(10).optional() })
    .transform(ofTagTenant),
  reply: envelope(AlertDefinition),
})

export const deleteAlertDefinition = route({
  ...calls.deleteAlertDefinition,
  summary: 'Deletes an alert definition, unless it is predefined; its alerts end, and stay on record.',
  body: z.object({ tagTenant: TenantId, tagId: z.union([Id, z.literal('')]), alertId: Id }).transform(ofTagTenant),
  reply: envelope(z.object({ alertId: z.string() })),
})

export const addDefaultAlerts = route({
  ...calls.addDefaultAlerts,
  summary:
    'Adds the default rules that the client lacks; answers them. They send no e-mail until an address is entered.',
  body: inTenant,
  reply: envelope(z.array(AlertDefinition)),
})

/** How often a rule would have told in the last thirty days, day by day, the oldest first. */
export const AlertPreview = z
  .object({
    days: z.array(z.number()).length(previewDays),
    count: z.number(),
    /** From when on the history answers, where that is within the thirty days: of the time before nothing is known. */
    knownSince: Timestamp.nullable(),
    /** The last time it would have told. */
    latest: z
      .object({
        at: Timestamp,
        /** The device or the home that it would have been about. */
        deviceId: z.string().nullable(),
        serial: z.string().nullable(),
        product: z.enum(productCodes).nullable(),
        home: z.object({ propertyId: z.string(), reference: z.string() }).nullable(),
        /** How many devices or homes. */
        devices: z.number(),
      })
      .nullable(),
  })
  .meta({ id: 'AlertPreview' })
export type AlertPreview = z.infer<typeof AlertPreview>

export const previewAlertDefinition = route({
  ...calls.previewAlertDefinition,
  summary: 'What an alert definition, stored or not, would have told in the last thirty days.',
  body: z.object(written).transform(ofTagTenant),
  reply: envelope(AlertPreview),
})

export const getAlertPreviews = route({
  ...calls.getAlertPreviews,
  summary: 'What each alert definition of the client would have told in the last thirty days.',
  body: inTenant,
  reply: envelope(
    z.array(
      z.object({ alertId: z.string(), days: z.array(z.number()), count: z.number(), knownSince: Timestamp.nullable() }),
    ),
  ),
})

export const alertStates = ['open', 'over', 'pending'] as const
export type AlertState = (typeof alertStates)[number]

export const Alert = z
  .object({
    alertId: z.string(),
    state: z.enum(alertStates),
    /** The device that it is about; null where it is about a home. */
    deviceId: z.string().nullable(),
    deviceName: z.string().nullable(),
    serial: z.string().nullable(),
    product: z.enum(productCodes).nullable(),
    /** The home that it is about; null where it is about a device. The address is null under HideCustomerPersonalData. */
    home: z.object({ propertyId: z.string(), reference: z.string(), address: z.string().nullable() }).nullable(),
    /** Building, floor and room, or the home of a device; of a home its building. */
    where: z.string(),
    building: z.string().nullable(),
    /** What is wrong with it in a word or two, as far as its conditions tell; of a deadline its case, step and date. */
    reason: z.string(),
    /** The rule in its words of then. */
    tagName: z.string(),
    covers: z.string(),
    /** What the rule covered, by the names of then. */
    scope: z.object({
      families: z.array(z.enum(families)),
      buildings: z.array(z.string()),
      tags: z.array(z.string()),
    }),
    triggerType: z.enum(triggerTypes),
    triggerCondition: z.string(),
    delay: z.number(),
    delayUnit: z.enum(delayUnits),
    beganAt: Timestamp,
    /** When the delay is over; null where nobody is told as things stand. */
    dueAt: Timestamp.nullable(),
    toldAt: Timestamp.nullable(),
    endedAt: Timestamp.nullable(),
    /** When it is over for good, having stayed so. */
    overAt: Timestamp.nullable(),
    /** Since when nothing more comes of it. */
    closedAt: Timestamp.nullable(),
    /** Whether nobody is told because the home is void or the device in maintenance. */
    isMuted: z.boolean(),
    isUnstable: z.boolean(),
    /** Devices behind a gateway that fell silent, in the buildings and with the tags of the rule. */
    behind: z.number(),
    ending: z.enum(alertEndings).nullable(),
    mails: z.array(
      z.object({
        mailId: z.string(),
        kind: z.enum(['told', 'over', 'again']),
        to: z.string(),
        at: Timestamp,
        /** `gone` where the mail is so old that it was deleted; `suppressed` where the installation sends nothing. */
        state: z.enum(['kept', 'waiting', 'sent', 'failed', 'suppressed', 'gone']),
        error: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'Alert' })
export type Alert = z.infer<typeof Alert>

export const alertPageSize = 50
export const getAlerts = route({
  ...calls.getAlerts,
  summary:
    'Alerts of devices and homes that one sees: open, over, or about to tell; 50 at a time: `before` is the last one that is known.',
  body: z.object({
    tenant: TenantId,
    state: z.enum(alertStates),
    /** Only those of a device, or of a home. */
    deviceId: Id.optional(),
    propertyId: Id.optional(),
    before: z.object({ at: Instant, alertId: Id }).optional(),
  }),
  reply: envelope(
    z.object({
      alerts: z.array(Alert),
      hasMore: z.boolean(),
      /** How many there are in each state; of those that are over, one more than 1,000 stands for any number beyond. */
      counts: z.object({ open: z.number(), pending: z.number(), over: z.number() }),
    }),
  ),
})

export const sendAlertAgain = route({
  ...calls.sendAlertAgain,
  summary:
    'Sends the e-mail of an open alert once more, to whom it could not be delivered or else to all who are told.',
  body: z.strictObject({ tenant: TenantId, alertId: Id }),
  reply: envelope(z.object({ recipients: z.array(z.string()) })),
})

const unsubscribing = z.object({ tenant: TenantId, token: z.string().regex(/^[\w-]{32}$/) })

export const showUnsubscribe = route({
  ...calls.showUnsubscribe,
  internal: true,
  summary:
    'The page that a link in an e-mail leads to: it asks, and changes nothing, for scanners of mails follow links.',
  params: unsubscribing,
})

export const unsubscribeFromAlert = route({
  ...calls.unsubscribeFromAlert,
  internal: true,
  summary: 'Sends no more e-mails of a rule to the address that the link was sent to, and tells a manager.',
  params: unsubscribing,
})
