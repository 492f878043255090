import { useState } from 'react'
import { Autocomplete, Button, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import type { NewSensor } from '@caretaker/contract/connections.ts'
import { addSensors, undoAddSensors } from '@caretaker/contract/calls/connections.ts'
import { searchEverything } from '@caretaker/contract/calls/search.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { showCallError, textsOf } from '../../../api/errors.ts'
import { IconSearch } from '../../../icons/index.ts'
import { CancelButton, Dialog, Problems } from '../../../ui/dialog.tsx'
import { showSuccess } from '../../../ui/toasts.tsx'
import { refreshConnections } from '../queries.ts'
import { countText } from '../words.ts'
import classes from './sensors.module.css'

/** Rooms that people usually choose; any other name can be typed. */
const usualRooms = [
  ...['Living room', 'Kitchen', 'Hall', 'Landing', 'Bathroom', 'Bedroom 1', 'Bedroom 2', 'Bedroom 3'],
  ...['Dining room', 'Utility room', 'Loft', 'Plant room'],
]
const longestRoom = 100
const leastLetters = 2

const propertiesQuery = (tenant: string, search: string) =>
  queryOptions({
    queryKey: [tenant, 'search', search],
    enabled: search.length >= leastLetters,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => call(searchEverything, { body: { tenant, search } }, { signal }),
    select: ({ properties }) => properties.items,
  })

interface AddSensorsDialogProps {
  sensors: readonly NewSensor[]
  onAdded: () => void
  onClose: () => void
}

/** One property for all chosen sensors, and a room for each. */
export function AddSensorsDialog({ sensors, onAdded, onClose }: AddSensorsDialogProps) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const [property, setProperty] = useState<{ id: string; name: string }>()
  const [rooms, setRooms] = useState<Record<string, string>>({})
  const [isBusy, setBusy] = useState(false)
  const [problems, setProblems] = useState<readonly string[]>([])
  const roomOf = (at: number): string => {
    const typed = rooms[sensors[at]!.id]
    // From the second sensor on, the last room is suggested.
    return typed ?? (at > 0 ? roomOf(at - 1) : '')
  }
  const isValid = property !== undefined && sensors.every((_, at) => roomOf(at).trim() !== '')
  const noun = countText(sensors.length, 'sensor')
  const undo = (sensorIds: string[]) =>
    void call(undoAddSensors, { params: { tenant }, body: { sensorIds } })
      .then(() => refreshConnections(queryClient, tenant))
      .then(() => showSuccess(`${noun} ${sensors.length === 1 ? 'is' : 'are'} new again`), showCallError)
  const add = async () => {
    setBusy(true)
    setProblems([])
    try {
      const { added } = await call(addSensors, {
        params: { tenant },
        body: {
          propertyId: property!.id,
          sensors: sensors.map(({ id }, at) => ({ sensorId: id, room: roomOf(at).trim() })),
        },
      })
      await refreshConnections(queryClient, tenant)
      const undoable = { label: 'Undo', onPress: () => undo(added.map(({ sensorId }) => sensorId)) }
      showSuccess(`${noun} added to ${property!.name}`, undoable)
      onAdded()
    } catch (error) {
      setProblems(textsOf(error))
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={`Add ${noun} to a property`}
      wide
      busy={isBusy}
      onClose={onClose}
      form={{
        noValidate: true,
        onSubmit: (event) => {
          event.preventDefault()
          if (isValid && !isBusy) void add()
        },
      }}
      actions={
        <>
          <span className={classes.kept}>Messages received so far are kept.</span>
          <CancelButton disabled={isBusy} />
          <Button type="submit" disabled={!isValid} loading={isBusy}>
            Add {noun}
          </Button>
        </>
      }
    >
      <PropertyPicker onChange={setProperty} />
      <div role="group" aria-label="Room for each sensor" className={classes.rooms}>
        <h3>Room for each sensor</h3>
        {sensors.map((sensor, at) => (
          <div key={sensor.id}>
            <span>
              <b>{[sensor.maker, sensor.model].filter(Boolean).join(' ')}</b>
              <code>
                {sensor.name && sensor.name !== sensor.deviceKey
                  ? `${sensor.name}, ${sensor.deviceKey}`
                  : sensor.deviceKey}
              </code>
            </span>
            <Autocomplete
              aria-label={`Room: ${sensor.deviceKey}`}
              placeholder="Room"
              data={usualRooms}
              maxLength={longestRoom}
              value={roomOf(at)}
              onChange={(room) => setRooms((before) => ({ ...before, [sensor.id]: room }))}
            />
          </div>
        ))}
      </div>
      <Problems texts={problems} />
    </Dialog>
  )
}

/** A property by its reference, address or postcode. */
function PropertyPicker({ onChange }: { onChange: (property: { id: string; name: string } | undefined) => void }) {
  const { tenant } = useActor()
  const [typed, setTyped] = useState('')
  const [id, setId] = useState<string | null>(null)
  const [search] = useDebouncedValue(typed.trim(), 250)
  const { data, isFetching, isError } = useQuery(propertiesQuery(tenant, search))
  const found = (data ?? []).map((one) => ({
    value: one.propertyId,
    label: [one.propertyReference, one.address].filter(Boolean).join(', ') || one.propertyId,
    name: one.address ?? one.propertyReference,
  }))
  return (
    <Select
      label="Property"
      placeholder="Search by reference, address or postcode"
      withAsterisk
      searchable
      clearable
      data-autofocus
      leftSection={<IconSearch size={16} aria-hidden />}
      data={found}
      // The server has searched.
      filter={({ options }) => options}
      nothingFoundMessage={
        isError
          ? 'Failed to load'
          : search.length < leastLetters
            ? 'Type at least 2 letters'
            : isFetching
              ? 'Searching…'
              : 'Nothing found'
      }
      searchValue={typed}
      onSearchChange={setTyped}
      value={id}
      onChange={(chosen) => {
        setId(chosen)
        const property = found.find(({ value }) => value === chosen)
        onChange(property && { id: property.value, name: property.name || property.label })
      }}
      comboboxProps={{ withinPortal: true }}
    />
  )
}
