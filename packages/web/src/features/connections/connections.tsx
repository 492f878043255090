import { useCallback, useMemo, useState } from 'react'
import { ActionIcon, Button, Menu } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import {
  IconDots,
  IconKey,
  IconList,
  IconPencil,
  IconPlayerPauseFilled,
  IconPlayerPlay,
  IconPlus,
  IconTrash,
} from '../../icons/index.ts'
import type { Connection } from '@caretaker/contract/connections.ts'
import { resumeConnection } from '@caretaker/contract/calls/connections.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { showCallError } from '../../api/errors.ts'
import { dateTimeText, spanText } from '../../ui/age.ts'
import { useClock } from '../../ui/age-view.tsx'
import type { GenericColumn } from '../../ui/generic-table.tsx'
import { GenericTable } from '../../ui/generic-table.tsx'
import { useGoTo } from '../../ui/link.tsx'
import { Empty } from '../../ui/states.tsx'
import { showSuccess } from '../../ui/toasts.tsx'
import { useZone } from '../../ui/zone.tsx'
import { ConnectionDrawer } from './add/connection-drawer.tsx'
import { connectionsPath, messagesPath } from './addresses.ts'
import { Chip } from './chips.tsx'
import { ConnectionCards } from './connection-cards.tsx'
import { DeleteDialog, KeyDialog, PauseDialog } from './connection-dialogs.tsx'
import { HourBars } from './hour-bars.tsx'
import { connectionsQuery, refreshConnections } from './queries.ts'
import { stateText } from './state-text.ts'
import { countText, kindText } from './words.ts'
import classes from './connections.module.css'

const none: Connection[] = []
type Action = 'pause' | 'key' | 'edit' | 'delete'

/** The connections of the client with their health; errors and last messages of the selected one below. */
export function Connections() {
  const actor = useActor()
  const { tenant } = actor
  const { connection: named } = useSearch({ strict: false }) as { connection?: unknown }
  const navigate = useNavigate()
  const { data, isError, refetch } = useQuery(connectionsQuery(tenant))
  const [isAdding, setAdding] = useState(false)
  const [asked, ask] = useState<{ action: Action; id: string }>()
  const manages = can(actor, 'manage connections')
  const zone = useZone()
  const now = useClock()
  const columns = useMemo(() => columnsFor(zone, now), [zone, now])
  const onAction = useCallback((action: Action, { id }: Connection) => ask({ action, id }), [])
  const rowActions = useCallback(
    (row: Connection) => <RowMenu row={row} manages={manages} onAction={onAction} />,
    [manages, onAction],
  )
  const selected = data?.find(({ id }) => id === named) ?? data?.find(({ state }) => state === 'Errors') ?? data?.[0]
  const subject = data?.find(({ id }) => id === asked?.id)
  const close = () => ask(undefined)
  const addButton = manages && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)} disabled={!data}>
      Add connection
    </Button>
  )
  return (
    <>
      <GenericTable
        label="Connections"
        columns={columns}
        rows={data ?? none}
        rowId={(row) => row.id}
        rowHref={(row) => `${connectionsPath(tenant)}?connection=${row.id}`}
        onOpen={({ id }) =>
          void navigate({
            to: '.',
            search: (search: object) => ({ ...search, connection: id }) as never,
            resetScroll: false,
            replace: true,
          })
        }
        current={selected?.id}
        status={data ? 'ready' : isError ? 'failed' : 'loading'}
        onRetry={() => void refetch()}
        empty={
          <Empty
            text="No connections"
            hint="A connection receives the messages of your own sensors, for example from ChirpStack or Zigbee2MQTT."
          />
        }
        phoneRow={phoneRow}
        rowActions={rowActions}
        actions={
          <>
            {data && data.length > 0 && <Totals connections={data} />}
            {addButton}
          </>
        }
      />
      {selected && <ConnectionCards connection={selected} />}
      {isAdding && <ConnectionDrawer onClose={() => setAdding(false)} />}
      {subject && asked?.action === 'edit' && <ConnectionDrawer connection={subject} onClose={close} />}
      {subject && asked?.action === 'pause' && <PauseDialog connection={subject} onClose={close} />}
      {subject && asked?.action === 'key' && <KeyDialog connection={subject} onClose={close} />}
      {subject && asked?.action === 'delete' && <DeleteDialog connection={subject} onClose={close} />}
    </>
  )
}

function Totals({ connections }: { connections: Connection[] }) {
  const messages = connections.reduce((sum, one) => sum + one.messages, 0)
  const errors = connections.reduce((sum, one) => sum + one.errors, 0)
  return (
    <span className={classes.totals}>
      {countText(messages, 'message')} in 24 h, {countText(errors, 'error')}
    </span>
  )
}

interface RowMenuProps {
  row: Connection
  manages: boolean
  onAction: (action: Action, row: Connection) => void
}

function RowMenu({ row, manages, onAction }: RowMenuProps) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const goTo = useGoTo()
  const resume = () =>
    void call(resumeConnection, { params: { tenant, connectionId: row.id } })
      .then(() => refreshConnections(queryClient, tenant))
      .then(() => showSuccess(`${row.name} resumed`), showCallError)
  const iconOf = (Icon: typeof IconKey) => <Icon size={18} stroke={1.7} aria-hidden />
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon className={classes.dots} aria-label={`Actions: ${row.name}`}>
          <IconDots size={20} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={iconOf(IconList)} onClick={() => goTo(messagesPath(tenant, row.id))}>
          All messages
        </Menu.Item>
        {manages && (
          <>
            {row.state === 'Paused' ? (
              <Menu.Item leftSection={iconOf(IconPlayerPlay)} onClick={resume}>
                Resume
              </Menu.Item>
            ) : (
              <Menu.Item leftSection={iconOf(IconPlayerPauseFilled)} onClick={() => onAction('pause', row)}>
                Pause
              </Menu.Item>
            )}
            {row.transport === 'webhook' && (
              <Menu.Item leftSection={iconOf(IconKey)} onClick={() => onAction('key', row)}>
                Create new key
              </Menu.Item>
            )}
            <Menu.Item leftSection={iconOf(IconPencil)} onClick={() => onAction('edit', row)}>
              Edit
            </Menu.Item>
            <Menu.Item
              leftSection={iconOf(IconTrash)}
              className={classes.danger}
              onClick={() => onAction('delete', row)}
            >
              Delete
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

function columnsFor(zone: string, now: number): GenericColumn<Connection>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      width: 230,
      link: true,
      value: (row) => row.name,
      cell: (row) => (
        <span className={classes.twoLines}>
          <span>{row.name}</span>
          <small>{kindText(row)}</small>
        </span>
      ),
    },
    {
      id: 'health',
      header: 'Health',
      width: 220,
      value: (row) => row.state,
      cell: (row) => (
        <span className={classes.twoLines}>
          <span>
            <Chip word={row.state} />
          </span>
          {stateText(row, zone) && <small title={stateText(row, zone)}>{stateText(row, zone)}</small>}
        </span>
      ),
    },
    {
      id: 'last',
      header: 'Last message',
      width: 200,
      value: (row) => row.lastMessageAt,
      cell: (row) =>
        row.lastMessageAt ? (
          <span className="tabular">
            {dateTimeText(row.lastMessageAt, zone)}{' '}
            {row.state === 'No messages' && (
              <span className={classes.dimmed}>{spanText(row.lastMessageAt, now)} ago</span>
            )}
          </span>
        ) : (
          <span className={classes.dimmed}>None yet</span>
        ),
    },
    {
      id: 'messages',
      header: 'Messages, 24 h',
      width: 190,
      value: (row) => row.messages,
      cell: (row) => (
        <span className={classes.hoursCell}>
          <HourBars counts={row.messagesByHour} />
          <b>{row.messages.toLocaleString('en-GB')}</b>
        </span>
      ),
    },
    {
      id: 'errors',
      header: 'Errors, 24 h',
      width: 116,
      align: 'end',
      value: (row) => row.errors,
      cell: (row) => <b className={row.errors ? undefined : classes.zero}>{row.errors.toLocaleString('en-GB')}</b>,
    },
    {
      id: 'sensors',
      header: 'Sensors',
      width: 90,
      align: 'end',
      value: (row) => row.sensors,
      cell: (row) => row.sensors.toLocaleString('en-GB'),
    },
  ]
}

const phoneRow = (row: Connection) => (
  <span className={classes.phoneRow}>
    <span>
      <b>{row.name}</b>
      <Chip word={row.state} />
    </span>
    <span className={classes.dimmed}>
      {kindText(row)}
      <span>
        {countText(row.messages, 'message')}, {countText(row.errors, 'error')} in 24 h
      </span>
    </span>
  </span>
)
