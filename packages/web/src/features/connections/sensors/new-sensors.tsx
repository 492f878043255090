import { useCallback, useMemo, useState } from 'react'
import { ActionIcon, Button, Menu, Switch } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import {
  IconAlertTriangleFilled,
  IconBan,
  IconDots,
  IconHome,
  IconPencil,
  IconRotateClockwise,
  IconUpload,
} from '../../../icons/index.ts'
import type { NewSensor } from '@caretaker/contract/connections.ts'
import { ignoreSensors, restoreSensors } from '@caretaker/contract/calls/connections.ts'
import { mostAddedAtOnce } from '@caretaker/rules/connections/connections.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { BarOffer } from '../../../actions/selection-bar.tsx'
import { SelectionBar } from '../../../actions/selection-bar.tsx'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { showCallError } from '../../../api/errors.ts'
import { dateTimeText } from '../../../ui/age.ts'
import type { GenericColumn } from '../../../ui/generic-table.tsx'
import { GenericTable } from '../../../ui/generic-table.tsx'
import { Empty } from '../../../ui/states.tsx'
import type { RowSelection } from '../../../ui/table/props.ts'
import { showSuccess } from '../../../ui/toasts.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { newSensorsQuery, refreshConnections } from '../queries.ts'
import { countText, valuesText } from '../words.ts'
import { AddSensorsDialog } from './add-sensors-dialog.tsx'
import { ChooseModelDialog } from './choose-model-dialog.tsx'
import { ImportDialog } from './import-dialog.tsx'
import pageClasses from '../connections.module.css'
import classes from './sensors.module.css'

const none: NewSensor[] = []
/** The sensors of all pages: one that sent a message between two requests would be on both pages. */
const rowsOf = (pages: readonly { results: NewSensor[] }[] = []): NewSensor[] =>
  pages.length ? [...new Map(pages.flatMap(({ results }) => results.map((row) => [row.id, row]))).values()] : none
const noModel = 'Choose the model first'

/** Sensors that sent messages and have no property yet. */
export function NewSensors() {
  const actor = useActor()
  const { tenant } = actor
  const { ignored = false } = useSearch({ strict: false }) as { ignored?: boolean }
  const navigate = useNavigate()
  const { data, isError, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    newSensorsQuery(tenant, ignored),
  )
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [asked, ask] = useState<'add' | 'import'>()
  const [unknown, setUnknown] = useState<NewSensor>()
  const manages = can(actor, 'manage connections')
  const zone = useZone()
  const rows = useMemo(() => rowsOf(data?.pages), [data])
  const hidden = data?.pages[0]?.ignored ?? 0
  const picked = rows.filter(({ id }) => chosen.includes(id))
  const columns = useMemo(() => columnsFor(zone, manages ? setUnknown : undefined), [zone, manages])
  const selection: RowSelection<NewSensor> = {
    count: picked.length,
    has: (id) => chosen.includes(id),
    fault: (row) => (row.modelId === null ? noModel : undefined),
    name: nameOf,
    onSelect: (some, isSelected) =>
      setChosen((before) => {
        const ids = some.map(({ id }) => id)
        const rest = before.filter((id) => !ids.includes(id))
        return isSelected ? [...rest, ...ids].slice(0, mostAddedAtOnce) : rest
      }),
  }
  const rowActions = useCallback(
    (row: NewSensor) => (
      <RowMenu
        row={row}
        onAdd={({ id }) => {
          setChosen([id])
          ask('add')
        }}
        onChoose={setUnknown}
      />
    ),
    [],
  )
  const changeHidden = useHiddenChange()
  return (
    <>
      <GenericTable
        label="New sensors"
        columns={columns}
        rows={rows}
        rowId={(row) => row.id}
        rowHref={() => undefined}
        status={data ? 'ready' : isError ? 'failed' : 'loading'}
        onRetry={() => void refetch()}
        empty={
          <Empty
            text="No new sensors"
            hint="A sensor appears here with its first message. Its messages are kept until it is added or ignored."
          />
        }
        phoneRow={phoneRow}
        {...(manages && { selection, rowActions })}
        actions={
          <>
            {hasNextPage && (
              <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                Show more
              </Button>
            )}
            {(hidden > 0 || ignored) && (
              <Switch
                className={classes.switch}
                label={`Show ignored (${hidden.toLocaleString('en-GB')})`}
                checked={ignored}
                onChange={(event) => {
                  setChosen([])
                  const shows = event.currentTarget.checked
                  void navigate({ to: '.', search: (shows ? { ignored: true } : {}) as never, resetScroll: false })
                }}
              />
            )}
            {manages && (
              <Button
                variant="default"
                leftSection={<IconUpload size={16} aria-hidden />}
                onClick={() => ask('import')}
              >
                Import DevEUI list
              </Button>
            )}
          </>
        }
      />
      {picked.length > 0 && (
        <SelectionBar
          label="Selected sensors"
          count={picked.length}
          selected={`${countText(picked.length, 'sensor')} selected`}
          narrowBelow={30}
          parts={[{ offers: offersFor(picked) }]}
          onPress={(action) => {
            if (action === 'add') return ask('add')
            changeHidden(picked, action as 'ignore' | 'restore')
            setChosen([])
          }}
          onClear={() => setChosen([])}
          onUndone={() => void refetch()}
        />
      )}
      {asked === 'add' && picked.length > 0 && (
        <AddSensorsDialog
          sensors={picked}
          onAdded={() => {
            setChosen([])
            ask(undefined)
          }}
          onClose={() => ask(undefined)}
        />
      )}
      {asked === 'import' && <ImportDialog onClose={() => ask(undefined)} />}
      {unknown && <ChooseModelDialog sensor={unknown} onClose={() => setUnknown(undefined)} />}
    </>
  )
}

/** Ignores or restores sensors, with Undo. */
function useHiddenChange() {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const change = (sensors: readonly NewSensor[], action: 'ignore' | 'restore', isUndo = false): void => {
    const sent = { params: { tenant }, body: { sensorIds: sensors.map(({ id }) => id) } }
    const other = action === 'ignore' ? 'restore' : 'ignore'
    const undo = { label: 'Undo', onPress: () => change(sensors, other, true) }
    void (action === 'ignore' ? call(ignoreSensors, sent) : call(restoreSensors, sent))
      .then(() => refreshConnections(queryClient, tenant))
      .then(
        () =>
          showSuccess(
            `${countText(sensors.length, 'sensor')} ${action === 'ignore' ? 'ignored' : 'restored'}`,
            isUndo ? undefined : undo,
          ),
        showCallError,
      )
  }
  return change
}

/** Ignored sensors are restored before they are added. */
function offersFor(sensors: readonly NewSensor[]): BarOffer[] {
  const ignored = sensors.some(({ isIgnored }) => isIgnored)
  const icon = (Icon: typeof IconHome) => <Icon size={18} stroke={1.7} aria-hidden />
  return ignored
    ? [{ id: 'restore', label: 'Restore', icon: icon(IconRotateClockwise), isPossible: true }]
    : [
        { id: 'add', label: 'Add to property', icon: icon(IconHome), isPossible: true },
        { id: 'ignore', label: 'Ignore', icon: icon(IconBan), isPossible: true },
      ]
}

interface RowMenuProps {
  row: NewSensor
  onAdd: (row: NewSensor) => void
  onChoose: (row: NewSensor) => void
}

function RowMenu({ row, onAdd, onChoose }: RowMenuProps) {
  const change = useHiddenChange()
  const icon = (Icon: typeof IconHome) => <Icon size={18} stroke={1.7} aria-hidden />
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon className={pageClasses.dots} aria-label={`Actions: ${nameOf(row)}`}>
          <IconDots size={20} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {row.isIgnored ? (
          <Menu.Item leftSection={icon(IconRotateClockwise)} onClick={() => change([row], 'restore')}>
            Restore
          </Menu.Item>
        ) : (
          <>
            {row.modelId !== null && (
              <Menu.Item leftSection={icon(IconHome)} onClick={() => onAdd(row)}>
                Add to property
              </Menu.Item>
            )}
            <Menu.Item leftSection={icon(IconPencil)} onClick={() => onChoose(row)}>
              Choose model
            </Menu.Item>
            <Menu.Item leftSection={icon(IconBan)} onClick={() => change([row], 'ignore')}>
              Ignore
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

export const nameOf = ({ maker, model, name, deviceKey }: NewSensor) =>
  name ||
  ([maker, model].filter(Boolean).join(' ') ? `${[maker, model].filter(Boolean).join(' ')} ${deviceKey}` : deviceKey)

function Model({ row, onChoose }: { row: NewSensor; onChoose?: ((row: NewSensor) => void) | undefined }) {
  const { maker, model, modelId } = row
  if (modelId === null)
    return (
      <span className={classes.unknown}>
        <IconAlertTriangleFilled size={14} aria-hidden />
        Model not known
        {onChoose && (
          <button type="button" aria-label={`Choose model: ${nameOf(row)}`} onClick={() => onChoose(row)}>
            Choose model
          </button>
        )}
      </span>
    )
  return (
    <>
      <b>{maker}</b> {model}
    </>
  )
}

export const radioText = ({ rssi, linkQuality }: NewSensor['radio']) =>
  rssi !== null
    ? `${String(rssi).replace('-', '−')} dBm`
    : linkQuality !== null
      ? `Link quality ${linkQuality}`
      : 'Not reported'

function columnsFor(zone: string, onChoose: ((row: NewSensor) => void) | undefined): GenericColumn<NewSensor>[] {
  const modelText = ({ maker, model, modelId }: NewSensor) =>
    modelId === null ? 'Model not known' : `${maker} ${model}`
  return [
    {
      id: 'model',
      header: 'Maker and model',
      width: 240,
      link: true,
      value: modelText,
      cell: (row) => <Model row={row} onChoose={onChoose} />,
    },
    {
      id: 'key',
      header: 'DevEUI or address',
      width: 180,
      value: (row) => `${row.deviceKey} ${row.name ?? ''}`,
      cell: (row) => (
        <span className={pageClasses.twoLines}>
          <code className={pageClasses.mono}>{row.deviceKey}</code>
          {row.name && row.name !== row.deviceKey && <small>{row.name}</small>}
        </span>
      ),
    },
    {
      id: 'connection',
      header: 'Connection',
      width: 170,
      value: (row) => row.connectionName,
      cell: (row) => row.connectionName,
    },
    {
      id: 'values',
      header: 'Last values',
      width: 240,
      value: (row) => valuesText(row.lastValues),
      cell: (row) =>
        row.lastValues.length > 0 ? (
          valuesText(row.lastValues)
        ) : (
          <span className={pageClasses.dimmed}>None decoded</span>
        ),
    },
    {
      id: 'signal',
      header: 'Signal',
      width: 110,
      align: 'end',
      value: (row) => row.radio.rssi ?? row.radio.linkQuality,
      cell: (row) => radioText(row.radio),
    },
    {
      id: 'count',
      header: 'Messages',
      width: 90,
      align: 'end',
      value: (row) => row.messages,
      cell: (row) => row.messages.toLocaleString('en-GB'),
    },
    {
      id: 'last',
      header: 'Last message',
      width: 150,
      align: 'end',
      value: (row) => row.lastMessageAt,
      cell: (row) => (row.lastMessageAt ? dateTimeText(row.lastMessageAt, zone) : 'None yet'),
    },
  ]
}

const phoneRow = (row: NewSensor) => (
  <span className={pageClasses.phoneRow}>
    <span>
      <span>
        <Model row={row} />
      </span>
    </span>
    <code className={pageClasses.mono}>{row.deviceKey}</code>
    <span className={pageClasses.dimmed}>{valuesText(row.lastValues)}</span>
  </span>
)
