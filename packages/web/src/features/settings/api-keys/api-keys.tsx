import { useCallback, useMemo, useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { IconCircleCheckFilled, IconCircleXFilled, IconClock, IconPlus, IconUserOff } from '../../../icons/index.ts'
import type { ApiKey } from '@caretaker/contract/api-keys.ts'
import { ApiKeyName } from '@caretaker/contract/api-keys.ts'
import { createApiKey, revokeApiKey } from '@caretaker/contract/calls/api-keys.ts'
import type { AccessRightsTag } from '@caretaker/contract/tags.ts'
import {
  keyDays,
  keyManagesIntegrations,
  roleAdministersUsers,
  rolesForKey,
} from '@caretaker/rules/api-keys/api-keys.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { roles } from '@caretaker/rules/identity/roles.ts'
import { roleWords } from '@caretaker/rules/tenants/clients.ts'
import { useActor } from '../../../api/actor.ts'
import { apiKeysQuery } from '../../../api/api-keys.ts'
import { call } from '../../../api/call.ts'
import { textsOf } from '../../../api/errors.ts'
import { accessRightsTagsQuery } from '../../../api/tags.ts'
import { dateText } from '../../../ui/age.ts'
import { Age } from '../../../ui/age-view.tsx'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { ChoicesField, SelectField, TextField } from '../../../ui/forms/fields.tsx'
import { FormDialog } from '../../../ui/forms/form-dialog.tsx'
import { useSubmission, useValidForm } from '../../../ui/forms/use-form.ts'
import type { GenericColumn } from '../../../ui/generic-table.tsx'
import { GenericTable } from '../../../ui/generic-table.tsx'
import { Empty } from '../../../ui/states.tsx'
import { z } from '../../../ui/zod.ts'
import { useZone } from '../../../ui/zone.tsx'
import { SecretDialog } from '../../../ui/secret-dialog.tsx'
import classes from '../integrations.module.css'

const none: ApiKey[] = []

/** The API keys with which other software calls on behalf of the client. */
export function ApiKeys() {
  const { tenant } = useActor()
  const zone = useZone()
  const { data, isError, refetch } = useQuery(apiKeysQuery(tenant))
  const tags = useQuery(accessRightsTagsQuery(tenant)).data
  const [making, setMaking] = useState(false)
  const [made, setMade] = useState<{ name: string; key: string }>()
  const [revoking, setRevoking] = useState<ApiKey>()
  const parts = useMemo(() => partsOf({ tags, zone, onRevoke: setRevoking }), [tags, zone])
  const columns = useMemo(() => columnsFor(parts), [parts])
  const phoneRow = useCallback(
    (row: ApiKey) => (
      <span className={classes.phoneRow}>
        <span>
          <b>{row.name}</b>
          {parts.state(row)}
        </span>
        <span className={classes.dimmed}>
          {parts.role(row)}, {parts.reach(row)}
        </span>
        {row.creatorRemoved && <span>{parts.made(row)}</span>}
        <span>
          <span className={classes.dimmed}>Last used: {parts.used(row)}</span>
          {parts.revoke(row)}
        </span>
      </span>
    ),
    [parts],
  )
  return (
    <>
      <GenericTable
        label="API keys"
        columns={columns}
        rows={data ?? none}
        rowId={(row) => row.id}
        rowHref={() => undefined}
        status={data ? 'ready' : isError ? 'failed' : 'loading'}
        onRetry={() => void refetch()}
        empty={
          <Empty text="No API keys" hint="With a key, your own software can do what the role of the key allows." />
        }
        phoneRow={phoneRow}
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setMaking(true)} disabled={!data}>
            Add API key
          </Button>
        }
      />
      {making && tags && (
        <NewKeyDialog
          tags={tags}
          onMade={(name, key) => {
            setMaking(false)
            setMade({ name, key })
          }}
          onClose={() => setMaking(false)}
        />
      )}
      {made && (
        <SecretDialog
          title={`API key ${made.name}`}
          secret={made.key}
          hint="Your software sends the key with each call in the Authorization: Bearer header, never in a web address."
          onClose={() => setMade(undefined)}
        />
      )}
      {revoking && <RevokeDialog apiKey={revoking} onClose={() => setRevoking(undefined)} />}
    </>
  )
}

const states = {
  active: { word: 'Active', group: 'passed', Icon: IconCircleCheckFilled },
  expired: { word: 'Expired', group: 'none', Icon: IconClock },
  revoked: { word: 'Revoked', group: 'none', Icon: IconCircleXFilled },
} as const

interface Shown {
  tags: readonly AccessRightsTag[] | undefined
  zone: string
  onRevoke: (key: ApiKey) => void
}

function partsOf({ tags, zone, onRevoke }: Shown) {
  const tagName = (id: string) => tags?.find((tag) => tag.id === id)?.displayName ?? 'a deleted tag'
  return {
    state: (row: ApiKey) => {
      const { word, group, Icon } = states[row.state]
      return (
        <span className={classes.chip} data-group={group}>
          <Icon size={14} aria-hidden />
          {word}
        </span>
      )
    },
    role: (row: ApiKey) =>
      [
        roleWords(row.role),
        ...(row.administersUsers ? ['administers users'] : []),
        ...(row.managesIntegrations ? ['manages API keys and webhooks'] : []),
      ].join(', '),
    reach: (row: ApiKey) => (row.tagIds.length ? row.tagIds.map(tagName).join(', ') : 'Everything'),
    used: (row: ApiKey) => (row.lastUsedAt ? <Age at={row.lastUsedAt} /> : 'never'),
    day: (at: string) => dateText(at, zone),
    made: (row: ApiKey) => (
      <>
        {dateText(row.createdAt, zone)} by {row.createdBy}{' '}
        {row.creatorRemoved && (
          <span className={classes.chip} data-group="warning">
            <IconUserOff size={14} aria-hidden />
            Removed user
          </span>
        )}
      </>
    ),
    revoke: (row: ApiKey) =>
      row.state === 'active' && (
        <Button variant="default" size="compact-sm" aria-label={`Revoke: ${row.name}`} onClick={() => onRevoke(row)}>
          Revoke
        </Button>
      ),
  }
}

function columnsFor(parts: ReturnType<typeof partsOf>): GenericColumn<ApiKey>[] {
  return [
    { id: 'name', header: 'Name', width: 200, link: true, value: (row) => row.name, cell: (row) => row.name },
    { id: 'state', header: 'State', width: 110, value: (row) => states[row.state].word, cell: parts.state },
    {
      id: 'role',
      header: 'Role',
      width: 220,
      value: parts.role,
      cell: parts.role,
    },
    { id: 'reach', header: 'Access', width: 150, value: parts.reach, cell: parts.reach },
    { id: 'used', header: 'Last used', width: 120, value: (row) => row.lastUsedAt ?? '', cell: parts.used },
    {
      id: 'expires',
      header: 'Expires',
      width: 110,
      value: (row) => row.expiresAt,
      cell: (row) => parts.day(row.expiresAt),
    },
    {
      id: 'made',
      header: 'Created',
      width: 190,
      value: (row) => row.createdAt,
      cell: parts.made,
    },
    { id: 'actions', header: 'Actions', width: 100, align: 'end', cell: parts.revoke },
  ]
}

/** The maximum that the call accepts. */
const mostTags = 20
const Wanted = z.object({
  name: ApiKeyName,
  role: z.enum(roles),
  users: z.enum(['names', 'administers']),
  integrations: z.enum(['none', 'manages']),
  tags: z.array(z.string()).max(mostTags),
  days: z.string(),
})
type WantedInput = { name: string; role: string; users: string; integrations: string; tags: string[]; days: string }
const schema = Wanted as z.ZodType<z.output<typeof Wanted>, WantedInput>
const required = { name: true, role: true } as const

interface NewKeyProps {
  tags: readonly AccessRightsTag[]
  onMade: (name: string, key: string) => void
  onClose: () => void
}

function NewKeyDialog({ tags, onMade, onClose }: NewKeyProps) {
  const actor = useActor()
  const { tenant } = actor
  const queryClient = useQueryClient()
  const form = useValidForm({
    schema,
    required,
    defaultValues: { name: '', role: 'Guest', users: 'names', integrations: 'none', tags: [], days: '90' },
    draft: { name: 'API key' },
  })
  const role = form.watch('role') as Role
  const mayManageIntegrations = keyManagesIntegrations(role, form.watch('tags'))
  const make = async ({ name, role, users, integrations, tags: tagIds, days }: z.output<typeof Wanted>) => {
    const administersUsers = users === 'administers' && roleAdministersUsers(role)
    const managesIntegrations = integrations === 'manages' && keyManagesIntegrations(role, tagIds)
    const body = { name, role, administersUsers, managesIntegrations, tagIds, expiresInDays: Number(days) }
    const { apiKey, key } = await call(createApiKey, { params: { tenant }, body })
    void queryClient.invalidateQueries({ queryKey: apiKeysQuery(tenant).queryKey })
    onMade(apiKey.name, key)
  }
  const submission = useSubmission(
    form,
    (values) => [make(values)],
    () => {},
  )
  return (
    <FormDialog title="Add API key" verb="Add" form={form} submission={submission} onClose={onClose}>
      <TextField
        form={form}
        name="name"
        label="Name"
        required
        first
        maxLength={60}
        description="Actions with this key are recorded under this name."
      />
      <SelectField
        form={form}
        name="role"
        label="Role"
        required
        data={rolesForKey(actor).map((role) => ({ value: role, label: roleWords(role) }))}
        description="A guest can read but not change anything."
      />
      {roleAdministersUsers(role) && (
        <SelectField
          form={form}
          name="users"
          label="Users"
          data={[
            { value: 'names', label: 'See their names' },
            { value: 'administers', label: 'Invite, change and remove them' },
          ]}
          description="Users it invited keep access after the key is revoked."
        />
      )}
      <ChoicesField
        form={form}
        name="tags"
        label="Access"
        data={tags.map(({ id, displayName }) => ({ value: id, label: displayName }))}
        placeholder="Everything"
        most={mostTags}
        description="With access rights tags, the key sees only devices and properties that have one of them."
      />
      {mayManageIntegrations && (
        <SelectField
          form={form}
          name="integrations"
          label="API keys and webhooks"
          data={[
            { value: 'none', label: 'No access' },
            { value: 'manages', label: 'Add, change and remove them' },
          ]}
          description="API keys that it adds expire with it at the latest."
        />
      )}
      <SelectField
        form={form}
        name="days"
        label="Expires"
        data={keyDays.map((days) => ({ value: String(days), label: `In ${days} days` }))}
      />
    </FormDialog>
  )
}

function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const revoke = async () => {
    await call(revokeApiKey, { params: { tenant, keyId: apiKey.id } })
    await queryClient.invalidateQueries({ queryKey: apiKeysQuery(tenant).queryKey })
    return true as const
  }
  return (
    <ConfirmDialog
      title={`Revoke API key ${apiKey.name}`}
      verb="Revoke"
      danger
      onConfirm={() => revoke().catch(textsOf)}
      onClose={onClose}
    >
      <p>Software that uses this key is rejected immediately. This cannot be undone.</p>
      {apiKey.managesIntegrations && <p>The keys that were added with it are revoked as well.</p>}
    </ConfirmDialog>
  )
}
