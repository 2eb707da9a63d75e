const owners =
  /^(tenant|organi[sz]ation|org|company|account|workspace|owner|user|created_by|assigned_to|region|branch)(_(id|uuid|code|key))?$/i

/** Whether a column is called like one that says whose a row is. */
export const tellsOwner = (column: string): boolean => owners.test(column)
