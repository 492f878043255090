import { Button, TextInput } from '@mantine/core'
import { IconRefresh, IconSearch } from '../../icons/index.ts'
import { splitAddress } from '@caretaker/rules/postcodes/postcode.ts'
import { useActor } from '../../api/actor.ts'
import type { Position } from './edits.ts'
import { usePostcode } from './use-postcode.ts'
import classes from './buildings.module.css'

interface PlaceByPostcodeProps {
  /** As stored, ending with the postcode; empty if unknown. */
  address: string
  onPlace: (to: Position) => void
}

/** Gives a building without a position, for example from an import, the position of its postcode. */
export function PlaceByPostcode({ address, onPlace }: PlaceByPostcodeProps) {
  const postcode = usePostcode(useActor().tenant, splitAddress(address).postcode)
  const check = async () => {
    const place = await postcode.check()
    if (place) onPlace({ lat: place.lat, lng: place.lng })
  }
  return (
    <div className={classes.postcode}>
      <TextInput
        label="Post code"
        value={postcode.text}
        maxLength={20}
        autoComplete="off"
        error={postcode.fault}
        onChange={(event) => postcode.type(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && void check()}
      />
      <Button
        variant="default"
        leftSection={postcode.isDown ? <IconRefresh size={16} aria-hidden /> : <IconSearch size={16} aria-hidden />}
        loading={postcode.isChecking}
        onClick={() => void check()}
      >
        {postcode.isDown ? 'Retry' : 'Check Post Code'}
      </Button>
    </div>
  )
}
