import { Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getTenantBuildings } from '@caretaker/contract/calls/buildings.ts'
import { getStandardLuminaires } from '@caretaker/contract/calls/equipment.ts'
import { getEmeredGroups } from '@caretaker/contract/calls/groups.ts'
import type { LightAction, LightSettings } from '@caretaker/rules/actions/light-settings.ts'
import { lightConditions } from '@caretaker/rules/actions/light-settings.ts'
import type { SettableKind } from '@caretaker/rules/conditions/conditions.ts'
import { settableWords } from '@caretaker/rules/conditions/words.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { DayField } from '../ui/day-field.tsx'
import { useToday } from '../ui/age-view.tsx'

interface LightFieldsProps {
  action: LightAction
  settings: LightSettings
  onChange: (settings: LightSettings) => void
}

/** The settings that an action applies to all selected lights. */
export function LightFields(props: LightFieldsProps) {
  const { action, settings, onChange } = props
  const today = useToday()
  switch (action) {
    case 'move lights':
      return <PlaceFields {...props} />
    case 'set luminaire':
      return <LuminaireField {...props} />
    case 'set battery day':
      return (
        <DayField
          label="Batteries fitted on"
          max={today}
          value={settings.batteryDay ?? ''}
          onChange={(value) => onChange({ batteryDay: value || undefined })}
        />
      )
    case 'set status':
      return (
        <>
          <Select
            label="Status"
            placeholder="Choose"
            data={lightConditions.map((kind) => ({ value: kind, label: settableWords[kind] }))}
            value={settings.condition ?? null}
            onChange={(kind) => onChange({ ...settings, condition: (kind ?? undefined) as SettableKind })}
          />
          <TextInput
            label="Reason"
            maxLength={200}
            value={settings.reason ?? ''}
            onChange={({ currentTarget: { value } }) => onChange({ ...settings, reason: value })}
          />
          <DayField
            label="Last day"
            min={today}
            description={
              settings.condition === 'disabledOther'
                ? undefined
                : 'Leave empty to keep the status until someone ends it.'
            }
            value={settings.until ?? ''}
            onChange={(value) => onChange({ ...settings, until: value || undefined })}
          />
        </>
      )
    case 'add to group':
      return <GroupField {...props} />
  }
}

function PlaceFields({ settings, onChange }: LightFieldsProps) {
  const { tenant } = useActor()
  const { data } = useQuery({
    queryKey: [tenant, 'buildings'],
    queryFn: ({ signal }) => call(getTenantBuildings, { body: { tenant } }, { signal }),
  })
  const floors = data?.find(({ building }) => building === settings.buildingId)?.floors ?? []
  return (
    <>
      <Select
        label="Building"
        placeholder="Choose"
        searchable
        disabled={!data}
        data={(data ?? []).map(({ building, name }) => ({ value: building, label: name }))}
        value={settings.buildingId ?? null}
        onChange={(id) => onChange({ buildingId: id ?? undefined })}
      />
      <Select
        label="Floor"
        placeholder="No floor"
        clearable
        disabled={floors.length === 0}
        data={floors.map(({ floor, name }) => ({ value: floor, label: name }))}
        value={settings.floorId ?? null}
        onChange={(id) => onChange({ ...settings, floorId: id ?? undefined })}
      />
    </>
  )
}

function LuminaireField({ settings, onChange }: LightFieldsProps) {
  const { tenant } = useActor()
  const { data } = useQuery({
    queryKey: [tenant, 'standard luminaires'],
    meta: { shows: { subjects: ['standard luminaire'] } },
    queryFn: ({ signal }) => call(getStandardLuminaires, { body: { tenant } }, { signal }),
  })
  return (
    <Select
      label="Standard luminaire"
      placeholder="Choose"
      description="The lights get its lamp, inverter and battery."
      searchable
      disabled={!data}
      data={(data ?? []).map(({ luminaireId, name }) => ({ value: luminaireId, label: name }))}
      value={settings.luminaireId ?? null}
      onChange={(id) => onChange({ luminaireId: id ?? undefined })}
    />
  )
}

function GroupField({ settings, onChange }: LightFieldsProps) {
  const { tenant } = useActor()
  const { data } = useQuery({
    queryKey: [tenant, 'groups'],
    meta: { shows: { subjects: ['group', 'device'] } },
    queryFn: ({ signal }) => call(getEmeredGroups, { body: { tenant } }, { signal }),
  })
  return (
    <Select
      label="Group"
      placeholder="Choose"
      description="Only lights on a floor of the group’s building can be added. They leave their current group."
      searchable
      disabled={!data}
      data={(data?.groups ?? []).map(({ groupId, groupName, buildingName }) => ({
        value: groupId,
        label: [groupName, buildingName].filter(Boolean).join(', '),
      }))}
      value={settings.groupId ?? null}
      onChange={(id) => onChange({ groupId: id ?? undefined })}
    />
  )
}
