"$SEMBLANCE" account --epsilon 1
