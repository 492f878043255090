import { useCallback, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { ActionIcon, Button, Menu } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import {
  IconDots,
  IconEye,
  IconHistory,
  IconKey,
  IconLogout,
  IconPencil,
  IconPlus,
  IconShieldHalf,
  IconTrash,
} from '../../icons/index.ts'
import { remainingKeyLines } from '@caretaker/rules/api-keys/api-keys.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { seesTenant } from '@caretaker/rules/identity/actor.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { provisionedText, whyNotViewAs } from '@caretaker/rules/people/users.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { roleWords } from '@caretaker/rules/tenants/clients.ts'
import { apiKeysQuery } from '../../api/api-keys.ts'
import { accessRightsTagsQuery } from '../../api/tags.ts'
import { useActor, usePresence } from '../../api/actor.ts'
import { showCallError, textsOf } from '../../api/errors.ts'
import { useFailureToast } from '../../api/failure-toast.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { usersQuery } from '../../api/users.ts'
import { viewAs } from '../../api/viewing.ts'
import type { Column } from '../../ui/table/props.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { ConfirmDialog, SuccessDialog } from '../../ui/dialog.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { lazily } from '../../ui/lazily.tsx'
import { Empty } from '../../ui/states.tsx'
import { turned, useTablePlace } from '../../ui/table-place.ts'
import { filteredRows, sortedRows } from '../../ui/table-rows.ts'
import type { UserRow } from './groups.ts'
import { groupedUsers, withoutRestrictions } from './groups.ts'
import { userChanges } from './queries.ts'
import { CreateUserDialog, EditUserDialog } from './user-form.tsx'
import classes from './users.module.css'

// Opened rarely.
const DataViews = lazily(async () => (await import('../../reads/data-views.tsx')).DataViews)

type Action = 'edit' | 'reset' | 'factor' | 'sessions' | 'delete' | 'looked' | 'view'
type Opened = { action: 'create' } | { action: Action; id: string } | { action: 'sent' }

const valueOf = (row: UserRow, id: string) =>
  ({ name: row.name, email: row.email, role: roleWords(row.role), tag: row.tagName || withoutRestrictions })[id]

/** The members of the client by restriction, with their actions. */
export function UsersPage() {
  const { actor, client } = usePresence()
  usePageTitle('Users', client.displayName)
  const users = useQuery(usersQuery(actor.tenant))
  const tags = useQuery(accessRightsTagsQuery(actor.tenant))
  useFailureToast(users, 'An error occurred while fetching users.')
  const [place, show] = useTablePlace()
  const [opened, open] = useState<Opened>()
  const [pinned, setPinned] = useState<string[]>([])
  const all = useMemo(() => groupedUsers(users.data ?? [], tags.data ?? []), [users.data, tags.data])
  const rows = useMemo(() => {
    const found = filteredRows(all, place.filter, (row) => [
      ...['name', 'email', 'role', 'tag'].map((id) => valueOf(row, id)),
      row.group,
    ])
    const sorted = sortedRows(found, place.sort, valueOf)
    const order = [...new Set(all.map((row) => row.groupKey))]
    return sorted.sort((a, b) => order.indexOf(a.groupKey) - order.indexOf(b.groupKey))
    // oxlint-disable-next-line react/exhaustive-deps -- the order is the same while its parts are
  }, [all, place.filter, place.sort?.id, place.sort?.descending])
  const viewAs = useViewAs()
  const onAction = useCallback(
    (action: Action, id: string) => (action === 'view' ? viewAs(id) : open({ action, id })),
    [viewAs],
  )
  const offers = useMemo(() => ({ onAction, offered: (row: UserRow) => moreActions(actor, row) }), [onAction, actor])
  const columns = useMemo(() => columnsFor(offers), [offers])
  const phoneRow = useCallback((row: UserRow) => phoneRowOf(row, offers), [offers])
  const pinnedHere = useMemo(() => pinned.filter((id) => rows.some((row) => row.id === id)), [pinned, rows])
  const mayCreate = can(actor, 'administer users')
  const ready = users.data !== undefined && (tags.data !== undefined || tags.isError)
  const failed = users.isError && users.data === undefined

  return (
    <ListPage title="Users" count={users.data?.length}>
      <FilterBar
        label="Users"
        value={place.filter}
        onChange={(filter) => show({ ...place, filter })}
        actions={
          mayCreate && (
            <Button
              leftSection={<IconPlus size={16} aria-hidden />}
              onClick={() => open({ action: 'create' })}
              disabled={!ready}
            >
              Create user
            </Button>
          )
        }
      />
      <DataTable
        label="Users"
        columns={columns}
        rows={rows}
        rowId={(row) => row.id}
        rowHref={withoutAddress}
        groupOf={(row) => row.group}
        {...(place.sort ? { sorts: [place.sort] } : {})}
        onSort={(id) => show({ ...place, sort: turned(place.sort, id) })}
        status={failed ? 'failed' : ready ? 'ready' : 'loading'}
        onRetry={() => void users.refetch()}
        empty={
          <Empty
            text="No data available"
            hint={place.filter ? 'No user matches by name, e-mail, role or tag.' : undefined}
          />
        }
        phoneRow={phoneRow}
        pinned={pinnedHere}
        onPin={setPinned}
      />
      <Dialogs opened={opened} open={open} users={all} tags={tags.data ?? []} />
    </ListPage>
  )
}

const withoutAddress = () => undefined

type OnAction = (action: Action, id: string) => void

interface Offers {
  onAction: OnAction
  /** The actions of a row in its menu, in addition to those on buttons. */
  offered: (row: UserRow) => typeof actions
}

/** Starts viewing the portal as a user, on the Dashboard. */
function useViewAs() {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const router = useRouter()
  return useCallback(
    (id: string) =>
      void viewAs(queryClient, tenant, id).then(
        () => router.navigate({ href: pathTo(tenant, 'Dashboard') }),
        showCallError,
      ),
    [queryClient, router, tenant],
  )
}

function moreActions(actor: Actor, { role, tags, isVendorStaff: isOfVendor }: UserRow): typeof actions {
  return [
    ...(whyNotViewAs(actor, { role, tags, isOfVendor })
      ? []
      : [{ action: 'view', label: 'View as', icon: IconEye } as const]),
    ...(can(actor, 'see reads of personal data') && seesTenant(actor)
      ? [{ action: 'looked', label: 'Views of personal data by this user', icon: IconHistory } as const]
      : []),
  ]
}

function columnsFor(offers: Offers): Column<UserRow>[] {
  return [
    { id: 'name', header: 'Name', width: 150, sortable: true, link: true, cell: (row) => <Name row={row} /> },
    { id: 'email', header: 'E-mail', width: 180, sortable: true, cell: (row) => row.email },
    { id: 'role', header: 'Role', width: 126, sortable: true, cell: (row) => roleWords(row.role) },
    {
      id: 'tag',
      header: 'Access rights tag',
      width: 140,
      sortable: true,
      cell: (row) => row.tagName || <span className={classes.none}>{withoutRestrictions}</span>,
    },
    {
      id: 'actions',
      header: 'Actions',
      width: 216,
      align: 'end',
      cell: (row) => row.canChange && <Actions row={row} offers={offers} />,
    },
  ]
}

function Name({ row }: { row: UserRow }) {
  return (
    <>
      {row.name}
      {!row.hasSignedIn && <span className={classes.invited}>Invited</span>}
      {row.isProvisioned && <span className={classes.invited}>From the directory</span>}
    </>
  )
}

const actions: { action: Action; label: string; icon: typeof IconKey }[] = [
  { action: 'reset', label: 'Reset password', icon: IconKey },
  { action: 'factor', label: 'Reset second factor', icon: IconShieldHalf },
  { action: 'sessions', label: 'Sign out of all browsers', icon: IconLogout },
  { action: 'edit', label: 'Edit', icon: IconPencil },
  { action: 'delete', label: 'Delete', icon: IconTrash },
]

/** Controlled by the directory for the users that it provisions. */
const ofDirectory: readonly Action[] = ['edit']
const whyDisabled = (row: UserRow, action: Action) =>
  row.isProvisioned && ofDirectory.includes(action) ? provisionedText : undefined

interface ActionsProps {
  row: UserRow
  offers: Offers
}

function Actions({ row, offers: { onAction, offered } }: ActionsProps) {
  const more = offered(row)
  return (
    <span className={classes.actions}>
      {actions.map(({ action, label, icon: Icon }) => (
        <ActionIcon
          key={action}
          size={28}
          title={whyDisabled(row, action) ?? label}
          aria-label={`${label}: ${row.name}`}
          aria-description={whyDisabled(row, action)}
          disabled={whyDisabled(row, action) !== undefined}
          onClick={() => onAction(action, row.id)}
        >
          <Icon size={18} stroke={1.7} aria-hidden />
        </ActionIcon>
      ))}
      {more.length > 0 && (
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon size={28} title="More actions" aria-label={`More actions: ${row.name}`}>
              <IconDots size={18} stroke={1.7} aria-hidden />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <MenuItems row={row} actions={more} onAction={(action) => onAction(action, row.id)} />
          </Menu.Dropdown>
        </Menu>
      )}
    </span>
  )
}

interface MenuItemsProps {
  row: UserRow
  actions: { action: Action; label: string; icon: typeof IconKey }[]
  onAction: (action: Action) => void
}

function MenuItems({ row, actions: shown, onAction }: MenuItemsProps) {
  return shown.map(({ action, label, icon: Icon }) => (
    <Menu.Item
      key={action}
      leftSection={<Icon size={18} aria-hidden />}
      title={whyDisabled(row, action)}
      aria-description={whyDisabled(row, action)}
      disabled={whyDisabled(row, action) !== undefined}
      onClick={() => onAction(action)}
    >
      {label}
    </Menu.Item>
  ))
}

/** Two lines: name and actions, e-mail and role. The group shows the tag. */
function phoneRowOf(row: UserRow, { onAction, offered }: Offers): ReactNode {
  return (
    <span className={classes.phoneRow}>
      <span className={classes.phoneWho}>
        <b className={classes.phoneName}>
          <Name row={row} />
        </b>
        <span className={classes.phoneMore}>{row.email}</span>
        <span className={classes.phoneMore}>{roleWords(row.role)}</span>
      </span>
      {row.canChange && (
        <Menu>
          <Menu.Target>
            <ActionIcon size={44} aria-label={`Actions: ${row.name}`}>
              <IconDots size={20} aria-hidden />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <MenuItems
              row={row}
              actions={[...actions, ...offered(row)]}
              onAction={(action) => onAction(action, row.id)}
            />
          </Menu.Dropdown>
        </Menu>
      )}
    </span>
  )
}

interface DialogsProps {
  opened: Opened | undefined
  open: (next: Opened | undefined) => void
  users: UserRow[]
  tags: Parameters<typeof CreateUserDialog>[0]['tags']
}

function Dialogs({ opened, open, users, tags }: DialogsProps) {
  const { actor, client } = usePresence()
  const queryClient = useQueryClient()
  const changes = userChanges(queryClient, actor.tenant)
  const close = () => open(undefined)
  if (!opened) return undefined
  if (opened.action === 'create') return <CreateUserDialog tags={tags} onClose={close} />
  if (opened.action === 'sent') return <SuccessDialog text="Password reset sent successfully" onClose={close} />
  const user = users.find((one) => one.id === opened.id)
  if (!user) return undefined
  if (opened.action === 'looked')
    return <DataViews title={`Views of personal data by ${user.name}`} about={{ userId: user.id }} onClose={close} />
  if (opened.action === 'edit') return <EditUserDialog key={user.id} user={user} tags={tags} onClose={close} />
  if (opened.action === 'reset')
    return (
      <ConfirmDialog
        title={`Reset the password of ${user.name}`}
        verb="Send"
        onConfirm={() => outcome(changes.resetPassword(user))}
        onClose={close}
        onDone={() => open({ action: 'sent' })}
      >
        <p>
          We send an e-mail with a link to choose a new password to {user.email}. The current password works until then.
        </p>
      </ConfirmDialog>
    )
  if (opened.action === 'factor')
    return (
      <ConfirmDialog
        title={`Reset the second factor of ${user.name}`}
        verb="Reset"
        danger
        onConfirm={() => outcome(changes.resetSecondFactor(user))}
        onClose={close}
      >
        <p>
          First make sure that it is {user.name} who asks for it. Their passkeys, authenticator app and recovery codes
          stop working, they are signed out everywhere, and an e-mail tells them so.
        </p>
      </ConfirmDialog>
    )
  if (opened.action === 'sessions')
    return (
      <ConfirmDialog
        title={`Sign ${user.name} out of all browsers`}
        verb="Sign out"
        onConfirm={() => outcome(changes.endSessions(user))}
        onClose={close}
      >
        <p>
          Open pages lose access within a minute, and remembered browsers ask for the second factor again. {user.name}{' '}
          can sign in again.
        </p>
      </ConfirmDialog>
    )
  return (
    <ConfirmDialog
      title={`Delete ${user.name}`}
      verb="Delete"
      danger
      onConfirm={() => outcome(changes.remove(user))}
      onClose={close}
    >
      <p>
        {user.name} loses access to {client.displayName} at once. What they did stays in the record.
      </p>
      {user.isProvisioned && <p>Your directory gives {user.name} no access until you create the user here again.</p>}
      {can(actor, 'manage api keys') && <RemainingKeys user={user} />}
    </ConfirmDialog>
  )
}

/** The API keys created by a user: they belong to the client and are not removed with the user. */
function RemainingKeys({ user }: { user: UserRow }) {
  const { actor } = usePresence()
  const { data: keys = [] } = useQuery(apiKeysQuery(actor.tenant))
  const active = keys.filter((key) => key.creatorId === user.id && key.state === 'active')
  const lines = remainingKeyLines(user.name, active)
  return lines.length > 0 && <p>{lines.join(' ')}</p>
}

/** The outcome of an action: true, or the errors. */
function outcome(action: Promise<void>): Promise<true | readonly string[]> {
  return action.then(() => true as const, textsOf)
}
