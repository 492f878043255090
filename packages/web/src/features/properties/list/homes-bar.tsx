import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { IconArchive, IconKey, IconKeyOff, IconTags, IconTagsOff } from '../../../icons/index.ts'
import type { PropertySelectionPreview } from '@caretaker/contract/actions.ts'
import type { PropertyRow } from '@caretaker/contract/properties.ts'
import type { PropertySelection } from '@caretaker/contract/property-selection.ts'
import { countOf, runActionLabels } from '@caretaker/rules/actions/home-actions.ts'
import { useActor } from '../../../api/actor.ts'
import { useFailureToast } from '../../../api/failure-toast.ts'
import type { Chosen, ChosenProps } from '../../../lists/list-source.ts'
import { openAction } from '../../../actions/open.ts'
import { homesPreviewQuery } from '../../../actions/picked.ts'
import type { BarPart } from '../../../actions/selection-bar.tsx'
import { SelectionBar } from '../../../actions/selection-bar.tsx'

type Offer = PropertySelectionPreview['actions'][number]

const icon = { size: 18, stroke: 1.7, 'aria-hidden': true }
const icons: Record<Offer['action'], ReactNode> = {
  'add tags': <IconTags {...icon} />,
  'remove tags': <IconTagsOff {...icon} />,
  'archive properties': <IconArchive {...icon} />,
  'set access rights tag of properties': <IconKey {...icon} />,
  'remove access rights tag of properties': <IconKeyOff {...icon} />,
}
const labels: Record<Offer['action'], string> = {
  ...runActionLabels,
  'add tags': 'Add tags to devices',
  'remove tags': 'Remove tags from devices',
}
const isOfTags = (action: Offer['action']) => action === 'add tags' || action === 'remove tags'

/** The actions for the selected properties and their devices. */
export function HomesBar({ chosen, onClear, onDone }: ChosenProps<PropertyRow>) {
  const { tenant } = useActor()
  const selection = useMemo(() => chosen && selectionOf(chosen), [chosen])
  const preview = useQuery(homesPreviewQuery(tenant, selection))
  useFailureToast(preview, 'The selected properties could not be counted.')
  const { data } = preview
  const parts = useMemo(() => partsOf(data?.actions ?? []), [data])
  if (!selection) return undefined
  const press = (id: string) => {
    const offer = data?.actions.find(({ action }) => action === id)
    if (!offer || !data) return
    const { action, suitable } = offer
    if (action === 'add tags' || action === 'remove tags')
      openAction({ kind: 'bulk', action, picked: { properties: selection }, count: suitable, onDone })
    else {
      const { occupied, openCases } = data
      openAction({ kind: 'homes', action, selection, count: suitable, occupied, openCases, onDone })
    }
  }
  return (
    <SelectionBar
      label="Selected properties"
      count={data?.total}
      selected={`${countOf(data?.total ?? 0, 'property')} selected`}
      parts={parts}
      narrowBelow={100}
      onPress={press}
      onClear={onClear}
      onUndone={onDone}
    />
  )
}

function partsOf(all: readonly Offer[]): BarPart[] {
  const offersOf = (isOne: (action: Offer['action']) => boolean) =>
    all
      .filter(({ action }) => isOne(action))
      .map(({ action, suitable, reason }) => ({
        ...{ id: action, label: labels[action], icon: icons[action], isPossible: suitable > 0 },
        reason: reason ?? undefined,
      }))
  const isArchive = (action: Offer['action']) => action === 'archive properties'
  return [
    { offers: offersOf(isOfTags), hasLine: true },
    {
      offers: offersOf((action) => !isOfTags(action) && !isArchive(action)),
      menu: { label: 'Access rights', icon: <IconKey {...icon} /> },
    },
    { offers: offersOf(isArchive), hasLine: true },
  ]
}

function selectionOf(chosen: Chosen<PropertyRow>): PropertySelection {
  if ('rows' in chosen) return { propertyIds: chosen.rows.map(({ propertyId }) => propertyId) }
  const { question, except } = chosen
  return { query: { ...question, listing: 'Properties' }, except: [...except] }
}
