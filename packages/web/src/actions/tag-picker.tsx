import { useState } from 'react'
import { MultiSelect, Select } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Tag } from '@caretaker/contract/tags.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { tagNameFault } from '@caretaker/rules/tags/tag-names.ts'
import { useActor } from '../api/actor.ts'
import { showCallError } from '../api/errors.ts'
import { accessRightsTagsQuery, createTag, tagsQuery } from '../api/tags.ts'
import { Failed, LoadingLines } from '../ui/states.tsx'
import { showSuccess } from '../ui/toasts.tsx'
import type { Picked } from './picked.ts'
import { carriedTagsQuery } from './picked.ts'
import { devices } from './tag-changes.ts'
import classes from './actions.module.css'

interface TagPickerProps {
  label: string
  chosen: readonly string[]
  onChange: (ids: string[]) => void
  disabled?: boolean
}

/** Marks the option that creates the typed tag. */
const making = 'new:'

/** Selects from all tags of the client or creates a missing one; selected tags are not offered again. */
export function TagPicker({ label, chosen, onChange, disabled = false }: TagPickerProps) {
  const actor = useActor()
  const { tenant } = actor
  const queryClient = useQueryClient()
  const [typed, setTyped] = useState('')
  const [opened, setOpened] = useState(false)
  const { data, isError, refetch } = useQuery(tagsQuery(tenant))
  const make = useMutation({
    mutationFn: (name: string) => createTag(queryClient, tenant, name),
    onSuccess: ({ id }) => {
      showSuccess('Tag created successfully!')
      setTyped('')
      onChange([...chosen, id])
    },
    onError: showCallError,
  })
  if (isError) return <Failed onRetry={() => void refetch()} />
  if (!data) return <LoadingLines lines={2} />
  const name = typed.trim()
  const mayMake = can(actor, 'manage tags') && name !== ''
  const fault = tagNameFault(
    name,
    data.tags.map((tag) => tag.name),
  )
  const options = optionsOf(data.tags)
  const missing = mayMake && !fault ? [{ value: making + name, label: `Create tag '${name}'` }] : []
  const isTaken = data.tags.some((tag) => tag.name.toLowerCase() === name.toLowerCase())
  return (
    <Tags
      label={label}
      options={[...options, ...missing]}
      chosen={chosen.filter((id) => data.tags.some((tag) => tag.id === id))}
      onChange={(ids) => {
        const made = ids.find((id) => id.startsWith(making))
        if (made === undefined) onChange(ids)
        else if (!make.isPending) {
          // The tag exists now; closing the list uncovers the button.
          setOpened(false)
          make.mutate(made.slice(making.length))
        }
      }}
      disabled={disabled}
      opened={opened}
      onOpened={setOpened}
      search={typed}
      onSearch={setTyped}
      none={mayMake && fault && !isTaken ? fault : options.length > chosen.length ? 'No such tag' : 'No more tags'}
    />
  )
}

interface CarriedTagPickerProps extends Omit<TagPickerProps, 'disabled'> {
  picked: Picked
}

/** Selects from the tags of the selected devices, with the number of devices for each. */
export function CarriedTagPicker({ label, picked, chosen, onChange }: CarriedTagPickerProps) {
  const { tenant } = useActor()
  const [typed, setTyped] = useState('')
  const [opened, setOpened] = useState(false)
  const { data, isError, refetch } = useQuery(carriedTagsQuery(tenant, picked))
  if (isError) return <Failed onRetry={() => void refetch()} />
  if (!data) return <LoadingLines lines={2} />
  if (data.length === 0) return <p>None of the selected devices has a tag.</p>
  return (
    <Tags
      label={label}
      options={data.map(({ id, name, devices: count }) => ({ value: id, label: `${name} (${devices(count)})` }))}
      chosen={chosen}
      onChange={onChange}
      disabled={false}
      opened={opened}
      onOpened={setOpened}
      search={typed}
      onSearch={setTyped}
      none={data.length > chosen.length ? 'No such tag' : 'No more tags'}
    />
  )
}

interface TagsProps {
  label: string
  options: { value: string; label: string }[]
  chosen: readonly string[]
  onChange: (ids: string[]) => void
  disabled: boolean
  opened: boolean
  onOpened: (opened: boolean) => void
  search: string
  onSearch: (text: string) => void
  /** Shown if there is nothing to choose. */
  none: string
}

function Tags(props: TagsProps) {
  const { label, options, chosen, onChange, disabled, opened, onOpened, search, onSearch, none } = props
  return (
    <MultiSelect
      label={label}
      data={options}
      value={[...chosen]}
      onChange={onChange}
      searchValue={search}
      onSearchChange={onSearch}
      dropdownOpened={opened}
      onDropdownOpen={() => onOpened(true)}
      onDropdownClose={() => onOpened(false)}
      hidePickedOptions
      searchable
      disabled={disabled}
      data-autofocus
      placeholder={chosen.length === 0 ? 'Choose tags' : ''}
      nothingFoundMessage={none}
      comboboxProps={{ withinPortal: true }}
      maxDropdownHeight={240}
      classNames={{ inputField: classes.field, pill: classes.pill }}
    />
  )
}

const optionsOf = (tags: readonly Tag[]) => tags.map(({ id, name }) => ({ value: id, label: name }))

/** The option for no tag (core specification, section 6). */
export const noRestrictions = 'reset'

interface AccessRightsPickerProps {
  label: string
  chosen: string | null
  onChange: (id: string | null) => void
  /** Offers to remove the restriction. */
  withNone?: boolean
  disabled?: boolean
}

/** Selects an access rights tag of the client. */
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
