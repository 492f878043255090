import { z } from 'zod'
import { previewDays } from '@caretaker/rules/alerts/engine.ts'
import { delayUnits, notificationTypes, triggerTypes } from '@caretaker/rules/alerts/delay.ts'
import { longestDelayDays, mostInScope } from '@caretaker/rules/alerts/definition.ts'
import { families } from '@caretaker/rules/alerts/scope.ts'
import { alertEndings } from '@caretaker/rules/alerts/words.ts'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import { Id, Instant, TenantId, Timestamp, Version, inTenant, text } from './scalars.ts'
import * as calls from './calls/alerts.ts'

export { mostOver } from './calls/alerts.ts'

/**
 * The devices that a rule covers: all devices of the families, in the buildings and with one of the tags. An empty list does not
 * restrict. A rule on a property covers properties by their building and by the tags of their devices; `families` does not restrict
 * properties without devices.
 */
export const AlertScope = z
  .object({
    families: z.array(z.enum(families)).max(mostInScope),
    buildingIds: z.array(Id).max(mostInScope),
    tagIds: z.array(Id).max(mostInScope),
  })
  .meta({ id: 'AlertScope' })

/** A rule: the recipients that are notified when a device it covers meets a condition for longer than a delay. */
export const AlertDefinition = z
  .object({
    tagTenant: z.string(),
    /** The tag of a rule that covers exactly one tag and nothing else; otherwise empty. */
    tagId: z.string(),
    /** The names of its tags. */
    tagName: z.string(),
    scope: AlertScope,
    /** The scope as text: 'Emergency lights in Oak House'. */
    covers: z.string(),
    /** A disabled rule opens no alerts. */
    enabled: z.boolean(),
    alertId: z.string(),
    /** Whether the client created the rule; a predefined one cannot be deleted. */
    definedByTenant: z.boolean(),
    delay: z.number(),
    delayUnit: z.enum(delayUnits),
    /** The delay with its unit: '5 mins'. */
    delayDisplay: z.string(),
    notificationType: z.enum(notificationTypes),
    /** E-mail addresses, separated by commas. */
    notificationTarget: z.string(),
    /** Addresses of the target that unsubscribed with the link in an e-mail. */
    left: z.array(z.object({ address: z.string(), at: Timestamp })),
    triggerType: z.enum(triggerTypes),
    triggerCondition: z.string(),
    /** Send it with a change, so that a change by someone else is detected. */
    version: z.number().int(),
  })
  .meta({ id: 'AlertDefinition' })
export type AlertDefinition = z.infer<typeof AlertDefinition>

/** The tenant of a rule is the tenant of its tag. */
const ofTagTenant = <T extends { tagTenant: string }>(body: T) => ({ ...body, tenant: body.tagTenant })

/** The fields of a rule that users edit. The domain rules validate them and provide each field's message. */
const editableFields = {
  tagTenant: TenantId,
  /** Optional when `scope` defines what the rule covers. */
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
    "The client's alert rules with their coverage, the number of default rules that are missing, and the number of void properties, whose alerts are muted.",
  body: inTenant,
  reply: envelope(
    z.object({ alerts: z.array(AlertDefinition), missingDefaults: z.number(), voidProperties: z.number() }),
  ),
})

export const createAlertDefinition = route({
  ...calls.createAlertDefinition,
  summary:
    'Creates an alert rule for a tag or for the devices in `scope`. The id, the tag name and the display texts of the body are ignored.',
  body: z.object(editableFields).transform(ofTagTenant),
  reply: envelope(AlertDefinition),
})

export const updateAlertDefinition = route({
  ...calls.updateAlertDefinition,
  hasVersion: true,
  summary:
    'Replaces an alert rule. The target of an EMAILUNEDITABLE rule does not change. An address that unsubscribed receives e-mails again when it is entered again or listed in `invited`.',
  body: z
    .object({
      ...editableFields,
      alertId: Id,
      invited: z.array(z.string().max(254)).max(10).optional(),
      /**
       * The version that the change is based on: if someone else has changed the rule since, the call is rejected with
       * 409.
       */
      version: Version.optional(),
    })
    .transform(ofTagTenant),
  reply: envelope(AlertDefinition),
})

export const deleteAlertDefinition = route({
  ...calls.deleteAlertDefinition,
  summary: 'Deletes an alert rule that is not predefined. Its alerts end and stay on record.',
  body: z.object({ tagTenant: TenantId, tagId: z.union([Id, z.literal('')]), alertId: Id }).transform(ofTagTenant),
  reply: envelope(z.object({ alertId: z.string() })),
})

export const addDefaultAlerts = route({
  ...calls.addDefaultAlerts,
  summary:
    'Adds the default rules that the client lacks and returns them. They send no e-mail until an address is entered.',
  body: inTenant,
  reply: envelope(z.array(AlertDefinition)),
})

/** How many alerts a rule would have raised on each of the last thirty days, oldest first. */
export const AlertPreview = z
  .object({
    days: z.array(z.number()).length(previewDays),
    count: z.number(),
    /** The start of the recorded history when it is shorter than thirty days; null otherwise. */
    knownSince: Timestamp.nullable(),
    /** The latest alert that the rule would have raised. */
    latest: z
      .object({
        at: Timestamp,
        /** The device or property of that alert. */
        deviceId: z.string().nullable(),
        serial: z.string().nullable(),
        product: z.enum(productCodes).nullable(),
        home: z.object({ propertyId: z.string(), reference: z.string() }).nullable(),
        /** The number of devices or properties. */
        devices: z.number(),
      })
      .nullable(),
  })
  .meta({ id: 'AlertPreview' })
export type AlertPreview = z.infer<typeof AlertPreview>

export const previewAlertDefinition = route({
  ...calls.previewAlertDefinition,
  summary: 'The alerts that an alert rule, stored or not, would have raised in the last thirty days.',
  body: z.object(editableFields).transform(ofTagTenant),
  reply: envelope(AlertPreview),
})

export const getAlertPreviews = route({
  ...calls.getAlertPreviews,
  summary: 'The alerts that each alert rule of the client would have raised in the last thirty days.',
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
    /** The device of the alert; null when it concerns a property. */
    deviceId: z.string().nullable(),
    deviceName: z.string().nullable(),
    serial: z.string().nullable(),
    product: z.enum(productCodes).nullable(),
    /** The property of the alert; null when it concerns a device. The address is null under HideCustomerPersonalData. */
    home: z.object({ propertyId: z.string(), reference: z.string(), address: z.string().nullable() }).nullable(),
    /** Building, floor and room, or property, of a device; building of a property. */
    where: z.string(),
    building: z.string().nullable(),
    /** The cause in a word or two, if its conditions state one; for a deadline, its case, step and date. */
    reason: z.string(),
    /** The rule as it was when the alert began. */
    tagName: z.string(),
    covers: z.string(),
    /** The scope of the rule, with the names at that time. */
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
    /** When the delay ends; null when no recipient is currently due to be notified. */
    dueAt: Timestamp.nullable(),
    notifiedAt: Timestamp.nullable(),
    endedAt: Timestamp.nullable(),
    /** When the alert ended for good, because the condition did not return. */
    overAt: Timestamp.nullable(),
    /** When the alert was closed: it sends no more e-mails after that. */
    closedAt: Timestamp.nullable(),
    /** Whether notifications are suppressed because the property is void or the device is in maintenance. */
    isMuted: z.boolean(),
    isUnstable: z.boolean(),
    /** The number of devices connected through an offline gateway that match the buildings and tags of the rule. */
    behind: z.number(),
    ending: z.enum(alertEndings).nullable(),
    mails: z.array(
      z.object({
        mailId: z.string(),
        kind: z.enum(['raised', 'over', 'resent']),
        to: z.string(),
        at: Timestamp,
        /** `gone` when the e-mail was deleted because of its age; `suppressed` when e-mail is disabled for the installation. */
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
  looksAt: { of: 'home', as: 'list', name: 'Alerts' },
  summary:
    'Alerts of the devices and properties that the caller may see: open, over or pending. 50 a page; `before` is the last alert of the previous page.',
  body: z.object({
    tenant: TenantId,
    state: z.enum(alertStates),
    /** Only alerts of this device, or of this property. */
    deviceId: Id.optional(),
    propertyId: Id.optional(),
    before: z.object({ at: Instant, alertId: Id }).optional(),
  }),
  reply: envelope(
    z.object({
      alerts: z.array(Alert),
      hasMore: z.boolean(),
      /** The number of alerts in each state; 1,001 for `over` means more than 1,000. */
      counts: z.object({ open: z.number(), pending: z.number(), over: z.number() }),
    }),
  ),
})

export const sendAlertAgain = route({
  ...calls.sendAlertAgain,
  summary:
    'Resends the e-mail of an open alert to the recipients whose delivery failed, or to all recipients if none failed.',
  body: z.strictObject({ tenant: TenantId, alertId: Id }),
  reply: envelope(z.object({ recipients: z.array(z.string()) })),
})

const unsubscribeParams = z.object({ tenant: TenantId, token: z.string().regex(/^[\w-]{32}$/) })

export const showUnsubscribe = route({
  ...calls.showUnsubscribe,
  internal: true,
  summary:
    'The page behind the unsubscribe link of an e-mail. It asks for confirmation and changes nothing, because mail scanners follow links.',
  params: unsubscribeParams,
})

export const unsubscribeFromAlert = route({
  ...calls.unsubscribeFromAlert,
  internal: true,
  summary: 'Unsubscribes the address that the link was sent to from a rule, and notifies a manager.',
  params: unsubscribeParams,
})
