import { MultiSelect, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useActor } from '../api/actor.ts'
import { accessRightsTagsQuery, tagsQuery } from '../api/tags.ts'
import { Failed, LoadingLines } from '../ui/states.tsx'
import classes from './actions.module.css'

interface TagPickerProps {
  label: string
  chosen: readonly string[]
  onChange: (ids: string[]) => void
  disabled?: boolean
}

/** Chooses from all tags of the client; those that are chosen already are not offered again. */
export function TagPicker({ label, chosen, onChange, disabled = false }: TagPickerProps) {
  const { tenant } = useActor()
  const { data, isError, refetch } = useQuery(tagsQuery(tenant))
  if (isError) return <Failed onRetry={() => void refetch()} />
  if (!data) return <LoadingLines lines={2} />
  const options = data.tags.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <MultiSelect
      label={label}
      data={options}
      value={chosen.filter((id) => data.tags.some((tag) => tag.id === id))}
      onChange={onChange}
      hidePickedOptions
      searchable
      disabled={disabled}
      data-autofocus
      placeholder={chosen.length === 0 ? 'Choose tags' : ''}
      nothingFoundMessage={options.length > chosen.length ? 'No such tag' : 'No more tags'}
      comboboxProps={{ withinPortal: true }}
      maxDropdownHeight={240}
      classNames={{ inputField: classes.field, pill: classes.pill }}
    />
  )
}

/** The choice that means none of the tags (core specification, section 6). */
export const noRestrictions = 'reset'

interface AccessRightsPickerProps {
  label: string
  chosen: string | null
  onChange: (id: string | null) => void
  /** Offers to take the restriction away. */
  withNone?: boolean
  disabled?: boolean
}

/** Chooses one of the client's access rights tags. */
export function AccessRightsPicker(props: AccessRightsPickerProps) {
  const { label, chosen, onChange, withNone = false, disabled = false } = props
  const { tenant } = useActor()
  const { data, isError, refetch } = useQuery(accessRightsTagsQuery(tenant))
  if (isError) return <Failed onRetry={() => void refetch()} />
  if (!data) return <LoadingLines lines={2} />
  const none = withNone ? [{ value: noRestrictions, label: 'No restrictions' }] : []
  return (
    <Select
      label={label}
      data={[...none, ...data.map(({ id, displayName }) => ({ value: id, label: displayName }))]}
      value={chosen}
      onChange={onChange}
      allowDeselect={false}
      disabled={disabled}
      data-autofocus
      placeholder="Choose a tag"
      comboboxProps={{ withinPortal: true }}
      maxDropdownHeight={240}
    />
  )
}
