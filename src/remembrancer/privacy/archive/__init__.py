"""What leaves a store and comes into another: exports for people, sealed archives for other stores."""
