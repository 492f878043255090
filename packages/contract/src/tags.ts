import { z } from 'zod'
import { delayUnits } from '@caretaker/rules/alerts/delay.ts'
import { accessRightsTagNameLength } from '@caretaker/rules/tags/tag-names.ts'
import { DeviceId, Id, TenantId, Version, inTenant, line, text } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import * as calls from './calls/tags.ts'

export const Tag = z.object({ id: z.string(), name: z.string() }).meta({ id: 'Tag' })
export type Tag = z.infer<typeof Tag>

export const TenantAlert = z
  .object({
    alertId: z.string(),
    tagId: z.string(),
    tagName: z.string(),
    delay: z.number().int().min(0),
    delayUnit: z.enum(delayUnits),
  })
  .meta({ id: 'TenantAlert' })

export const getTenantTags = route({
  ...calls.getTenantTags,
  summary: "The client's tags and the alert rules that use them.",
  body: inTenant,
  reply: envelope(z.object({ tags: z.array(Tag), alerts: z.array(TenantAlert) })),
})

export const tenantCreateTag = route({
  ...calls.tenantCreateTag,
  summary: 'Creates a tag: a unique name of up to 20 letters and digits.',
  body: z.strictObject({ tenant: TenantId, name: text(200) }),
  reply: envelope(Tag),
})

export const tenantUpdateTag = route({
  ...calls.tenantUpdateTag,
  summary: 'Renames a tag on every device that has it.',
  body: z.strictObject({ tenant: TenantId, id: Id, name: text(200) }),
  reply: envelope(Tag),
})

export const tenantDeleteTag = route({
  ...calls.tenantDeleteTag,
  summary: 'Deletes a tag with its alert rules, and removes it from every device.',
  body: z.strictObject({ tenant: TenantId, id: Id }),
  reply: envelope(z.object({ id: z.string() })),
})

export const AccessRightsTag = z
  .object({ id: z.string(), displayName: z.string(), protected: z.boolean() })
  .meta({ id: 'AccessRightsTag' })
export type AccessRightsTag = z.infer<typeof AccessRightsTag>

export const getAccessRightsTags = route({
  ...calls.getAccessRightsTags,
  summary: "The client's access rights tags.",
  params: z.object({ tenant: TenantId }),
  reply: z.array(AccessRightsTag),
})

export const NewAccessRightsTag = z.strictObject({
  displayName: line(200).pipe(
    z
      .string()
      .min(1, 'Name is required!')
      .max(accessRightsTagNameLength, `Name can have at most ${accessRightsTagNameLength} characters`),
  ),
})

export const createAccessRightsTag = route({
  ...calls.createAccessRightsTag,
  summary: 'Creates an access rights tag; 409 if the name is already used.',
  status: 201,
  params: z.object({ tenant: TenantId }),
  body: NewAccessRightsTag,
  reply: AccessRightsTag,
})

export const deleteAccessRightsTag = route({
  ...calls.deleteAccessRightsTag,
  summary: 'Deletes an access rights tag: 403 if it is protected, 409 if a user has it, 410 if it was already deleted.',
  refuses: ['gone'],
  status: 204,
  params: z.object({ tenant: TenantId, id: Id }),
})

export const setDeviceAccessRightsTag = route({
  ...calls.setDeviceAccessRightsTag,
  hasVersion: true,
  summary: "Sets a device's access rights tag; null removes it.",
  status: 204,
  params: z.object({ tenant: TenantId, deviceId: DeviceId }),
  body: z.strictObject({ accessRightsTagId: Id.nullable(), version: Version.optional() }),
})
