import { sql } from 'kysely'
import { largestLogo } from '@caretaker/contract/tenant-administration.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { AuditAction, Changed } from '@caretaker/rules/audit/audit.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import type { FileType } from '@caretaker/rules/files/types.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { internalRoles, roles } from '@caretaker/rules/identity/roles.ts'
import type { SignInPolicy } from '@caretaker/rules/identity/sign-in-policy.ts'
import { tenantIdFault, tenantIdOf } from '@caretaker/rules/tenants/tenant-id.ts'
import type { Recorded } from '../../audit/audit.ts'
import { audit } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import { contentTypeOf } from '../../files/content-type.ts'
import { policyIn } from '../../identity/sign-in-policy.ts'
import { isPhotoType, plainPhoto, sizeFault } from '../../files/photo.ts'
import { readDrawing } from '../../files/svg-thread.ts'
import { incomplete } from '../../files/whole.ts'
import { versionOf } from '../../edit-version.ts'
import { makeDue } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { enter, inTenant, inTransaction } from '../../postgres/tenant.ts'
import { createDefaultAccessRightsTag } from '../../tags/access-rights-tags.ts'
import type { TenantColumns } from '../../tenants/tenants.ts'
import { createTenant, expectSettings, mergedSettings, updateTenant } from '../../tenants/tenants.ts'
import { insertDefaults } from '../alerts/predefined.ts'
import { planByNewClocks } from '../groups/plan.ts'
import { fireByNewClocks } from '../void/firings.ts'
import { resumeWebhooks } from '../../webhooks/deliver.ts'
import * as store from './store.ts'

export interface NewTenant {
  id: string
  name: string
  contact: string
  timeZone?: string
}

/**
 * Adds a tenant, with the one access rights tag that cannot be deleted (core gaps B14) and the default alert rules.
 * Returns its id.
 */
export async function addTenant(db: Db, person: Recorded, { name, contact, ...wanted }: NewTenant): Promise<string> {
  const id = tenantIdOf(wanted.id)
  const timeZone = zoneNamed(wanted.timeZone ?? 'Europe/London')
  const fault = tenantIdFault(id)
  if (fault) throw refuse('invalid', fault)
  expectName(name)
  await inTransaction(db, async (transaction) => {
    const row = { id, display_name: name, contacts: contact, time_zone: timeZone }
    if (!(await createTenant(transaction, row))) throw refuse('conflict', `The client ${id} already exists.`)
    const tx = await enter(transaction, id)
    await createDefaultAccessRightsTag(tx)
    await makeDue(tx, 'watch lights')
    await audit(tx, {
      person,
      action: 'client added',
      subject: { type: 'client', id, name },
      after: { name, contacts: contact, timeZone },
    })
    await insertDefaults(tx)
    await changed(tx, 'client', null)
  })
  return id
}

/** Changes the name and contact of a tenant; its id stays. Returns the id and the new version. */
export async function editTenant(
  db: Db,
  person: Recorded,
  { id, name, contact, version }: NewTenant & { version?: number | undefined },
): Promise<{ id: string; version: number }> {
  expectName(name)
  // An invalid id is not found.
  const tenant = tenantIdOf(id)
  if (!/^[a-z0-9-]+$/.test(tenant)) throw refuse('not found')
  return inTenant(db, tenant, async (tx) => {
    const before = await store.holdTenant(tx)
    await expectSettings(tx, version, store.editedOfTenant)
    await change(
      { tx, person },
      'client changed',
      { name: before.display_name, contacts: before.contacts },
      { name, contacts: contact },
      { display_name: name, contacts: contact },
    )
    return { id: tenant, version: versionOf(await store.editedOfTenant(tx)) }
  })
}

interface Asking {
  tx: TenantTx
  person: Recorded
}

export async function setTimeZone(asking: Asking, wanted: string): Promise<void> {
  const timeZone = zoneNamed(wanted)
  const before = await store.holdTenant(asking.tx)
  await change(asking, 'client changed', { timeZone: before.time_zone }, { timeZone }, { time_zone: timeZone })
  if (timeZone === before.time_zone) return
  await planByNewClocks(asking.tx)
  await fireByNewClocks(asking.tx)
  await makeDue(asking.tx, 'count due days')
}

/** Sets whether unknown metrics are kept as extra series or rejected; stored ones stay. */
export async function setUnknownMetrics({ tx, person }: Asking, areKept: boolean): Promise<void> {
  const before = await store.holdTenant(tx)
  const wereKept = store.keepsUnknownMetrics(before.settings)
  if (wereKept === areKept) return
  await updateTenant(tx, person, {
    ...{ columns: { settings: mergedSettings({ keepsUnknownMetrics: areKept }) }, action: 'client changed' },
    changes: { before: { keepsUnknownMetrics: wereKept }, after: { keepsUnknownMetrics: areKept } },
  })
}

/** Sets how the users of a client sign in. Only the vendor's staff decide about the roles of the vendor's staff. */
export async function setSignInPolicy(
  { tx, person, role, demo }: Asking & { role: Role; demo: boolean },
  policy: SignInPolicy,
): Promise<void> {
  const before = policyIn((await store.holdTenant(tx)).settings, demo)
  const after = { ...policy, secondFactorRoles: roles.filter((one) => policy.secondFactorRoles.includes(one)) }
  const isKept = internalRoles.every(
    (one) => before.secondFactorRoles.includes(one) === after.secondFactorRoles.includes(one),
  )
  if (!isKept && !internalRoles.includes(role)) throw refuse('forbidden', 'You cannot change this for internal roles.')
  await change(
    { tx, person },
    'sign-in policy changed',
    { ...before },
    { ...after },
    { settings: mergedSettings({ signInPolicy: after }) },
  )
}

/** Sets whether users that the directory provisions get an invitation by e-mail. */
export async function setProvisioningInvites(asking: Asking, invites: boolean): Promise<void> {
  const { settings } = await store.holdTenant(asking.tx)
  const before = (settings['provisioning'] as { invites?: boolean } | undefined)?.invites ?? false
  await change(
    asking,
    'provisioning changed',
    { invites: before },
    { invites },
    { settings: mergedSettings({ provisioning: { invites } }) },
  )
}

/** Pictures of a client's logo as data URLs: for light backgrounds, and for dark ones if different. */
export interface Logo {
  light: string
  dark: string | null
}

/** Sets or removes a tenant's logo; without one its name is shown. */
export async function setLogo({ tx, person }: Asking, logo: Logo | null): Promise<void> {
  const light = logo && (await plainPicture(logo.light))
  const dark = logo?.dark ? await plainPicture(logo.dark) : light
  await store.holdTenant(tx)
  await updateTenant(tx, person, {
    columns: { settings: logo ? mergedSettings({ logo: { light, dark } }) : sql`settings - 'logo'` },
    ...{ action: 'client logo changed', changes: { before: null, after: { logo: logo !== null } } },
  })
}

/** Suspends a tenant with a reason that its users see, or (null) resumes it. */
export async function suspend(asking: Asking, reason: string | null): Promise<void> {
  const before = await store.holdTenant(asking.tx)
  if (reason === null && !before.suspended_at) return
  await change(
    asking,
    reason === null ? 'client resumed' : 'client suspended',
    { suspended: before.suspended_at && before.suspended_reason },
    { suspended: reason },
    {
      // Changing the reason keeps the start.
      suspended_at: reason === null ? null : (before.suspended_at ?? new Date()),
      suspended_reason: reason,
    },
  )
  if (reason === null) await resumeWebhooks(asking.tx)
  // Open pages reload the session.
  await changed(asking.tx, 'reach', null)
}

export interface LicenceWish {
  type: string
  startOn: string
  periodMonths: number
  total: number
}

/** Sets the number of licences of a purchase: new ones are unassigned, and assigned ones are never removed. */
export async function setLicences({ tx, person }: Asking, { total, ...batch }: LicenceWish): Promise<void> {
  await store.holdTenant(tx)
  const { assigned, free } = await store.countBatch(tx, batch)
  if (total < assigned) throw refuse('conflict', `${assigned} of these licences are assigned to properties.`)
  const more = total - assigned - free
  if (more === 0) return
  await (more > 0 ? store.addLicences(tx, batch, more) : store.dropLicences(tx, batch, -more))
  const name = `${batch.type}, ${batch.startOn}, ${batch.periodMonths} months`
  await audit(tx, {
    person,
    action: 'client licences changed',
    subject: subjectOf(tx),
    before: { [name]: assigned + free },
    after: { [name]: total },
  })
  await changed(tx, 'client', null)
  await changed(tx, 'property', null)
}

const subjectOf = ({ tenant }: TenantTx) => ({ type: 'client', id: tenant, name: tenant }) as const

async function change(
  { tx, person }: Asking,
  action: AuditAction,
  before: Changed,
  after: Changed,
  columns: TenantColumns,
): Promise<void> {
  const changes = differences(before, after)
  if (changes) await updateTenant(tx, person, { columns, action, changes })
}

function expectName(name: string): void {
  if (name === '') throw refuse('invalid', 'Name is required!')
}

function zoneNamed(wanted: string): string {
  const zone = Intl.supportedValuesOf('timeZone').find((one) => one.toLowerCase() === wanted.toLowerCase())
  if (!zone) throw refuse('invalid', `Unknown time zone: ${wanted}.`)
  return zone
}

const isLogoType = (type: FileType | undefined) =>
  type === 'image/svg+xml' || type === 'image/png' || type === 'image/webp'

/** The image of a data URL, reduced to what is drawn. */
async function plainPicture(address: string): Promise<string> {
  const [given, data = ''] = address.split(';base64,')
  const content = Buffer.from(data, 'base64')
  // A drawing may declare entities, as Illustrator does.
  const isDrawing = given === 'data:image/svg+xml'
  const type = (await contentTypeOf(new Blob([content]))) ?? (isDrawing ? 'image/svg+xml' : undefined)
  if (!type || !isLogoType(type) || given !== `data:${type}`)
    throw refuse('unsupported', 'The logo must be an SVG, PNG or WebP.')
  const plain = await plainContent(content, type)
  if (Math.max(content.length, plain.length) > largestLogo) throw refuse('too large', 'A logo can have at most 100 kB.')
  return `data:${type};base64,${plain.toString('base64')}`
}

async function plainContent(content: Buffer<ArrayBuffer>, type: FileType): Promise<Buffer> {
  if (isPhotoType(type)) {
    const photo = plainPhoto(content, type)
    if (!photo) throw refuse('unsupported', incomplete)
    const large = sizeFault(photo)
    if (large) throw refuse('too large', large)
    return Buffer.from(photo.content)
  }
  const read = await readDrawing(new Blob([content]))
  if ('fault' in read) throw refuse('unsupported', read.fault)
  return Buffer.from(read.drawing)
}
