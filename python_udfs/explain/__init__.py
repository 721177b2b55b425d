"""Why a row is as it is: every change of one key with its verdict, and the silver row now."""
